"""Reading and writing items."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import limits, program_moments
from devls.engine.core.joins import Contents, Entries
from devls.engine.python import (
    calls,
    classes,
    constant_folding,
    containers,
    dict_rewrites,
    mappings,
    slices,
    special_classes,
)
from devls.engine.torch import data
from devls.engine.torch.nn import construction as module_construction
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import indexing
from devls.syntax.nodes import walk
from devls.values.conditions import Either
from devls.values.graph import Node
from devls.values.value import (
    ClassValue,
    Computed,
    Const,
    InstanceValue,
    LibraryName,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


def get_item(m: Machine, node: ast.Subscript, owner: object, index: object) -> object:
    """`owner[index]`."""
    owner = m.resolve(owner)
    index = m.resolve(index)
    if isinstance(owner, Either):
        test = Either(owner.condition, True, False)
        if isinstance(index, Const):
            return m.select(
                test, get_item(m, node, owner.then, index), get_item(m, node, owner.otherwise, index)
            )
        # Where the index lies may depend on the same test.
        return m.branch(
            test,
            lambda: get_item(m, node, owner.then, index),
            lambda: get_item(m, node, owner.otherwise, index),
        )
    if type(index) is InstanceValue or type(index) is TupleValue:
        node = slices.written_out(m, node, index)
    if isinstance(owner, TensorValue):
        return indexing.get(m, node, owner, index)
    if isinstance(owner, (TupleValue, Sequence)):
        return _sequence_item(m, node, owner, index)
    if isinstance(owner, Mapping):
        return _mapping_item(m, owner, index)
    if isinstance(owner, InstanceValue):
        method = calls.method_of(m, owner, "__getitem__")
        if method is not None:
            return calls.call(m, method, [slices.given(m, node) if index is None else index], {}, node)
        mapping = mappings.of(m, owner)
        if mapping is not None:
            missing = calls.method_of(m, owner, "__missing__") if _is_missing(m, mapping, index) else None
            return (
                _mapping_item(m, mapping, index)
                if missing is None
                else calls.call(m, missing, [index], {}, node)
            )
        fields = special_classes.items(m, owner)
        if fields is not None:
            return _sequence_item(m, node, TupleValue(tuple(fields)), index)
        found = module_construction.item(m, owner, index, node.slice)
        if found is not None:
            return found
        return data.library_item(m, owner, index, node)
    if isinstance(owner, Symbol):
        if owner.hint == "tensor":
            return indexing.get(m, node, m.as_tensor(owner), index)
        if isinstance(index, Const):
            value = m.state.get(owner, f"[{index.value!r}]")
            if value is not None:
                return value
            return Symbol(
                ("item", owner.key, index),
                f"{owner.text}[{index.value!r}]",
                named=owner.named,
                plausible=owner.plausible,
                site=owner.site,
                hint="number" if owner.hint == "number" else "",
                device=owner.device,
                computed=owner.computed,
                part_of=owner.part_of or owner,
            )
        return Symbol(
            ("item", owner.key, m.fresh_number()),
            f"{owner.text}[...]",
            named=owner.named,
            plausible=owner.plausible,
            site=owner.site,
            hint="number" if owner.hint == "number" else "",
            device=owner.device,
            computed=_of_one(m, owner.computed, node),
        )
    if isinstance(owner, LibraryName):
        return owner  # list[int], nn.Module[...]: a type
    if isinstance(owner, ClassValue) and classes.is_generic(m, owner):
        return owner
    return m.unknown(node)


def _sequence_item(m: Machine, node: ast.Subscript, owner: TupleValue | Sequence, index: object) -> object:
    items: tuple[object, ...] | None
    element: object = None
    if isinstance(owner, TupleValue):
        items = owner.items
    else:
        contents = m.state.get(owner, "#items")
        if not isinstance(contents, Contents):
            return m.unknown(node)
        items, element = contents.items, contents.element
    if isinstance(index, Const) and isinstance(index.value, int) and items is not None:
        position = index.value
        if -len(items) <= position < len(items) and (element is None or position >= 0):
            return items[position]
    if isinstance(node.slice, ast.Slice):
        return _slice(m, node, owner, items, element)
    found = m.any_of((*(items or ()), element))
    return m.unknown(node) if found is None else found


def _slice(
    m: Machine,
    node: ast.Subscript,
    owner: TupleValue | Sequence,
    items: tuple[object, ...] | None,
    element: object,
) -> object:
    part = node.slice
    assert isinstance(part, ast.Slice)  # noqa: S101  for the type checker
    bounds = [
        None if each is None else m.resolve(m.eval(each)) for each in (part.lower, part.upper, part.step)
    ]
    values = [None if each is None or each == Const(None) else each for each in bounds]
    if (
        items is not None
        and element is None
        and all(each is None or (isinstance(each, Const) and isinstance(each.value, int)) for each in values)
    ):
        numbers = [each.value if isinstance(each, Const) else None for each in values]
        chosen = constant_folding.part(items, numbers)  # type: ignore[arg-type]
        if chosen is None:
            return m.unknown(node)
        return TupleValue(chosen) if isinstance(owner, TupleValue) else m.new_list(chosen, node)
    result = m.new_list((), node)
    start = values[0].value if isinstance(values[0], Const) else None
    if items is not None and isinstance(start, int) and start >= 0 and values[1:] == [None, None]:
        # `[first, *rest][1:]`: what lies behind is still known.
        m.state.set(result, "#items", Contents(items[start:], element))
        return result
    found = m.any_of((*(items or ()), element))
    m.state.set(result, "#items", Contents(None, m.unknown() if found is None else found))
    return result


def get_entry(m: Machine, owner: object, key: object) -> object:
    """An entry of a dict."""
    return _mapping_item(m, owner, key) if isinstance(owner, Mapping) else m.unknown()


def _of_one(m: Machine, computed: Computed | None, node: ast.AST) -> Computed | None:
    """The graph behind whichever part of a result: each may have one of its own, as those of several agents have."""
    if computed is None or computed.node is None:
        return computed
    own = Node("item", (), m.site(node), (), keeps=False, open=True, edges=(computed.node,))
    return Computed(computed.requires_grad, own)


def _is_missing(m: Machine, owner: Mapping, index: object) -> bool:
    """Whether a dict holds nothing that a key could stand for."""
    entries = m.state.get(owner, "#entries")
    if not isinstance(entries, Entries) or entries.rest is not None:
        return False
    key = mappings.key_of(index)
    return key not in entries.known if key is not None else not entries.known


def _mapping_item(m: Machine, owner: Mapping, index: object) -> object:
    entries = m.state.get(owner, "#entries")
    if not isinstance(entries, Entries):
        return m.unknown()
    key = mappings.key_of(index)
    if key is not None:
        if key in entries.known:
            return entries.known[key]
        factory = m.state.get(owner, "#factory")
        if factory is not None and m.state.get(owner, "#any key") is not True:
            from devls.engine.python import calls  # noqa: PLC0415  a cycle otherwise

            made = calls.call(m, factory, [], {}, None)
            if isinstance(made, (Sequence, Mapping)):
                made.serial = owner.serial  # it could have been there as long as the dict
            m.state.set(owner, "#entries", entries.put(key, made))
            return made
        if entries.rest is not None:
            return entries.rest
        return Symbol(
            ("entry", id(owner), index), f"[{index.value!r}]" if isinstance(index, Const) else "an entry"
        )
    if m.state.get(owner, "#factory") is not None:
        m.state.set(owner, "#any key", True)  # what is asked for later may have been made now
    found = m.any_of((*entries.known.values(), entries.rest))
    return m.unknown() if found is None else found


def set_item(m: Machine, target: ast.Subscript, owner: object, value: object, node: ast.expr | None) -> None:
    """`owner[index] = value`."""
    owner = m.resolve(owner)
    index = m.resolve(m.eval(target.slice)) if not isinstance(target.slice, ast.Slice) else None
    if isinstance(owner, Either):
        tensor = m.tensor_of(owner, infer=False)
        owner = tensor if tensor is not None else owner.then
    if isinstance(owner, TensorValue):
        indexing.set_(m, slices.written_out(m, target, index), owner, index, value, node)
    elif isinstance(owner, Sequence):
        program_moments.stored(m, target, owner, value, node, keyed=_is_next_of_itself(m, target))
        contents = m.state.get(owner, "#items")
        if isinstance(target.slice, ast.Slice):
            _replace_part(m, target.slice, owner, contents, value, node or target)
        elif isinstance(contents, Contents):
            position = index.value if isinstance(index, Const) else None
            if (
                contents.items is not None
                and isinstance(position, int)
                and -len(contents.items) <= position < len(contents.items)
            ):
                changed = list(contents.items)
                changed[position] = value
                m.state.set(owner, "#items", Contents(tuple(changed), contents.element))
            else:
                element = m.any_of((*(contents.items or ()), contents.element, value))
                m.state.set(owner, "#items", Contents(None, element))
    elif isinstance(owner, Mapping):
        if node is not None and m.loops:
            program_moments.replaced(m, target, _mapping_item(m, owner, index), value, node)
        replaced = isinstance(index, Const) or _was_there(m, target)
        program_moments.stored(m, target, owner, value, node, keyed=replaced)
        set_entry(m, owner, index, value)
    elif isinstance(owner, InstanceValue):
        method = calls.method_of(m, owner, "__setitem__")
        if method is not None:
            calls.call(m, method, [index, value], {}, target)
        elif (mapping := mappings.of(m, owner)) is not None:
            set_entry(m, mapping, index, value)
        else:
            module_construction.set_item(m, owner, index, value)
    elif isinstance(owner, Symbol):
        if owner.hint == "tensor":
            indexing.set_(m, target, m.as_tensor(owner), index, value, node)
        elif isinstance(index, Const):
            m.state.set(owner, f"[{index.value!r}]", value)


def _replace_part(
    m: Machine, part: ast.Slice, owner: Sequence, contents: object, value: object, node: ast.expr
) -> None:
    """`owner[:] = value`: the items of what is given are put there, not itself."""
    from devls.engine.python import iteration  # noqa: PLC0415  a cycle otherwise

    items = iteration.items(m, value, node)
    if part.lower is None and part.upper is None and part.step is None and items is not None:
        m.state.set(owner, "#items", Contents(tuple(items)))
        return
    there: tuple[object, ...] = (m.unknown(),)
    if isinstance(contents, Contents):
        there = (*(contents.items or ()), contents.element)
    given = tuple(items) if items is not None else (iteration.element(m, value, node, 0),)
    m.state.set(owner, "#items", Contents(None, m.any_of((*there, *given))))


def delete_item(m: Machine, target: ast.Subscript, owner: object, index: object) -> None:
    """`del owner[index]`, `del owner[:]`."""
    owner = m.resolve(owner)
    index = m.resolve(index)
    if isinstance(owner, Sequence):
        contents = m.state.get(owner, "#items")
        part = target.slice
        if isinstance(part, ast.Slice) and part.lower is None and part.upper is None:
            m.state.set(owner, "#items", Contents(()))
        elif isinstance(contents, Contents):
            m.state.set(
                owner, "#items", Contents(None, m.any_of((*(contents.items or ()), contents.element)))
            )
    elif isinstance(owner, Mapping):
        containers.remove_entry(m, owner, index)
    elif isinstance(owner, InstanceValue):
        method = calls.method_of(m, owner, "__delitem__")
        if method is not None:
            calls.call(m, method, [index], {}, target)


def set_entry(m: Machine, owner: Mapping, index: object, value: object) -> None:
    """Put one entry into a dict."""
    entries = m.state.get(owner, "#entries")
    if not isinstance(entries, Entries):
        entries = Entries({}, m.unknown())
    if isinstance(value, Sequence):
        m.state.set(value, "#entry of", owner)
    if (module := m.state.get(owner, containers.REGISTRY_OF)) is not None:
        _register(m, module, entries, index, value)
    key = mappings.key_of(index)
    by_loop = dict_rewrites.put(m, owner, entries, index, value) if m.frame.loops else None
    if by_loop is not None:
        m.state.set(owner, "#entries", by_loop)
    elif key is not None and (key in entries.known or len(entries.known) < limits.ENTRIES):
        m.state.set(owner, "#entries", entries.put(key, value))
    else:
        m.state.set(owner, "#entries", mappings.overlaid(m, entries, Entries({}, value)))
        containers.remember(m, owner, value)


def _register(m: Machine, module: object, entries: Entries, index: object, value: object) -> None:
    """`module._parameters[name] = value`: the module has that in the place of what it had, which need not be a Parameter.

    Under a name that is not known it may be in the place of any.
    """
    names = [index.value] if isinstance(index, Const) else list(entries.known)
    for name in names:
        if not isinstance(module, InstanceValue) or not isinstance(name, str):
            continue
        known = m.resolve(value)
        followed = isinstance(index, Const) and (
            isinstance(known, InstanceValue) or (isinstance(known, TensorValue) and known.is_parameter)
        )
        if isinstance(known, InstanceValue) and name.isdecimal():
            registry.set_child(m, module, int(name), known if followed else m.unknown())
        else:
            registry.set_slot(m, module, name, known if followed else m.unknown())


def _was_there(m: Machine, target: ast.Subscript) -> bool:
    """Whether the loop has read the entry by the same key before it puts another there: there are no more than before."""
    loop = m.frame.loops[-1].node if m.frame.loops else None
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        return False
    text, statement = m.text(target), m.frame.statement
    return any(
        isinstance(each, ast.Subscript)
        and isinstance(each.ctx, ast.Load)
        and each.lineno < target.lineno
        and m.text(each) == text
        for before in loop.body
        if before is not statement
        for each in walk(before)
    )


def _is_next_of_itself(m: Machine, target: ast.Subscript) -> bool:
    """Whether an item is replaced by what is computed of it: `states[i] = step(x, states[i])`, of which there are no more than before."""
    statement = m.frame.statement
    return isinstance(statement, ast.Assign) and any(
        isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Load) and m.text(each) == m.text(target)
        for each in walk(statement.value)
    )
