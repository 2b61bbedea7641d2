"""Reading and writing items."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import library_semantics, program_moments
from devls.engine.core.joins import Contents
from devls.engine.core.transfer import ITEM_WRITES, ITEMS
from devls.engine.python import (
    calls,
    classes,
    constant_folding,
    containers,
    entries,
    iteration,
    mappings,
    slices,
)
from devls.syntax.nodes import of_tree, walk
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
        # The device of the index may depend on the same test.
        return m.branch(
            test,
            lambda: get_item(m, node, owner.then, index),
            lambda: get_item(m, node, owner.otherwise, index),
        )
    if type(index) is InstanceValue or type(index) is TupleValue:
        node = slices.written_out(m, node, index)
    if (run := ITEMS.get(type(owner))) is not None:
        return run(m, node, owner, index)
    return m.unknown(node)


@ITEMS.of(Mapping)
def _entry(m: Machine, _node: ast.Subscript, owner: Mapping, index: object) -> object:
    return entries.item(m, owner, index)


@ITEMS.of(InstanceValue)
def _item_of_instance(m: Machine, node: ast.Subscript, owner: InstanceValue, index: object) -> object:
    method = classes.method_of(m, owner, "__getitem__")
    if method is not None:
        return calls.call(m, method, [slices.given(m, node) if index is None else index], {}, node)
    mapping = mappings.of(m, owner)
    if mapping is not None:
        missing = (
            classes.method_of(m, owner, "__missing__") if entries.is_missing(m, mapping, index) else None
        )
        if missing is not None:
            return calls.call(m, missing, [index], {}, node)
        return entries.item(m, mapping, index)
    fields = classes.named_items(m, owner)
    if fields is not None:
        return _sequence_item(m, node, TupleValue(tuple(fields)), index)
    return library_semantics.item_of_instance(m, owner, index, node)


@ITEMS.of(Symbol)
def _item_of_unknown(m: Machine, node: ast.Subscript, owner: Symbol, index: object) -> object:
    if owner.hint == "tensor":
        return ITEMS[TensorValue](m, node, m.as_tensor(owner), index)
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
            hint=iteration.number_in(owner),
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
        hint=iteration.number_in(owner),
        device=owner.device,
        computed=_of_one(m, owner.computed, node),
    )


@ITEMS.of(LibraryName)
def _with_types(_m: Machine, _node: ast.Subscript, owner: LibraryName, _index: object) -> object:
    return owner  # list[int], nn.Module[...]: a type


@ITEMS.of(ClassValue)
def _with_type_parameters(m: Machine, node: ast.Subscript, owner: ClassValue, _index: object) -> object:
    return owner if classes.is_generic(m, owner) else m.unknown(node)


@ITEMS.of(TupleValue, Sequence)
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
    if isinstance(found, Symbol) and isinstance(owner, Sequence):
        m.state.set(found, iteration.ONE_OF, owner)
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


def _of_one(m: Machine, computed: Computed | None, node: ast.AST) -> Computed | None:
    """The graph behind whichever part of a result: each may have one of its own, as those of several agents have."""
    if computed is None or computed.node is None:
        return computed
    own = Node("item", (), m.site(node), (), keeps=False, open=True, edges=(computed.node,))
    return Computed(computed.requires_grad, own)


def set_item(m: Machine, target: ast.Subscript, owner: object, value: object, node: ast.expr | None) -> None:
    """`owner[index] = value`."""
    owner = m.resolve(owner)
    index = m.resolve(m.eval(target.slice)) if not isinstance(target.slice, ast.Slice) else None
    if isinstance(owner, Either):
        tensor = m.tensor_of(owner, infer=False)
        owner = tensor if tensor is not None else owner.then
    if (run := ITEM_WRITES.get(type(owner))) is not None:
        run(m, slices.written_out(m, target, index), owner, index, value, node)
    elif isinstance(owner, Sequence):
        _set_in_sequence(m, target, owner, index, value, node)
    elif isinstance(owner, Mapping):
        if node is not None and m.loops:
            program_moments.replaced(m, target, entries.item(m, owner, index), value, node)
        replaced = isinstance(index, Const) or _was_there(m, target)
        program_moments.stored(m, target, owner, value, node, keyed=replaced)
        entries.set_entry(m, owner, index, value)
    elif isinstance(owner, InstanceValue):
        method = classes.method_of(m, owner, "__setitem__")
        if method is not None:
            calls.call(m, method, [index, value], {}, target)
        elif (mapping := mappings.of(m, owner)) is not None:
            entries.set_entry(m, mapping, index, value)
        else:
            library_semantics.set_item_of_instance(m, owner, index, value)


def _set_in_sequence(
    m: Machine, target: ast.Subscript, owner: Sequence, index: object, value: object, node: ast.expr | None
) -> None:
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


def _replace_part(
    m: Machine, part: ast.Slice, owner: Sequence, contents: object, value: object, node: ast.expr
) -> None:
    """`owner[:] = value`: the items of what is given are put there, not itself."""
    items = iteration.items(m, value, node)
    if part.lower is None and part.upper is None and part.step is None and items is not None:
        if items:
            m.state.set(owner, "#items", Contents(tuple(items)))
        else:
            containers.empty(m, owner)
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
    if isinstance(owner, Either):
        for each in m.alternatives(owner):
            if isinstance(each, Mapping):
                entries.remove_entry(m, each, index, only_perhaps=True)
    elif isinstance(owner, Sequence):
        contents = m.state.get(owner, "#items")
        part = target.slice
        if isinstance(part, ast.Slice) and part.lower is None and part.upper is None:
            containers.empty(m, owner)
        elif isinstance(contents, Contents):
            m.state.set(
                owner, "#items", Contents(None, m.any_of((*(contents.items or ()), contents.element)))
            )
    elif isinstance(owner, Mapping):
        entries.remove_entry(m, owner, index)
    elif isinstance(owner, InstanceValue):
        method = classes.method_of(m, owner, "__delitem__")
        if method is not None:
            calls.call(m, method, [index], {}, target)


def _was_there(m: Machine, target: ast.Subscript) -> bool:
    """Whether the loop has read the entry by the same key before it puts another there: there are no more than before."""
    loop = m.frame.loops[-1].node if m.frame.loops else None
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        return False
    text, statement = m.text(target), m.frame.statement
    return any(
        before is not statement and each.lineno < target.lineno and m.text(each) == text
        for before, each in _items_read(loop)
    )


@of_tree(maxsize=64)
def _items_read(loop: ast.For | ast.AsyncFor) -> tuple[tuple[ast.stmt, ast.Subscript], ...]:
    """The items that are read in a loop, each with the statement of its body that it is in."""
    return tuple(
        (statement, each)
        for statement in loop.body
        for each in walk(statement)
        if isinstance(each, ast.Subscript) and type(each.ctx) is ast.Load
    )


def _is_next_of_itself(m: Machine, target: ast.Subscript) -> bool:
    """Whether an item is replaced by what is computed of it: `states[i] = step(x, states[i])`, of which there are no more than before."""
    statement = m.frame.statement
    return isinstance(statement, ast.Assign) and any(
        isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Load) and m.text(each) == m.text(target)
        for each in walk(statement.value)
    )
