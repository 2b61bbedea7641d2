"""Functions of Python that make iterables of others, and go through them: `zip`, `map`, `sum`, `next`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import limits
from devls.engine.core.joins import Contents
from devls.engine.python import calls, classes, constant_folding, containers, iteration, operators
from devls.values.conditions import Either
from devls.values.value import (
    NONE,
    Const,
    FunctionValue,
    InstanceValue,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def length(m: Machine, call_: Invocation) -> object:
    """`len(x)`."""
    value = m.resolve(call_.arguments[0]) if call_.arguments else None
    if isinstance(value, TupleValue):
        return Const(len(value.items))
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents) and contents.items is not None and contents.element is None:
            if containers.has_grown(m, value):
                return Symbol(("len", value, len(contents.items)), "a length", hint="number", named=True)
            return Const(len(contents.items))
    if isinstance(value, TensorValue) and value.shape and value.shape[0] is not None:
        return Const(value.shape[0])
    if isinstance(value, InstanceValue):
        contents = m.state.get(value, "#children")
        if isinstance(contents, Contents) and contents.items is not None:
            return Const(len(contents.items))
    if isinstance(value, Symbol) and value.named:
        return Symbol(("len", value.key), f"len({value.text})", hint="number", named=True)
    return Symbol(("len", m.fresh_number()), "a length", hint="number", named=True)


def make_range(m: Machine, call_: Invocation) -> object:
    """`range(...)`; item by item where it is short."""
    values = [m.resolve(each) for each in call_.arguments]
    numbers = [each.value for each in values if isinstance(each, Const) and isinstance(each.value, int)]
    count = constant_folding.count_of(numbers) if len(numbers) == len(values) else None
    if count is not None and count <= 3:
        return m.new_list(tuple(Const(each) for each in range(*numbers)), call_.node, "range")
    result = Symbol(("range", m.fresh_number()), "a range", hint="range", named=True)
    if len(values) == 1:
        m.state.set(result, COUNT, values[0])
    elif count is not None:
        m.state.set(result, COUNT, Const(count))
    return result


COUNT: Final = "#count"
"""The slot of a `range` that holds how many numbers there are in it."""


def make_enumerate(m: Machine, call_: Invocation) -> object:
    """`enumerate(x)`."""
    if not call_.arguments:
        return m.unknown(call_.node)
    value = m.resolve(call_.arguments[0])
    items = iteration.items(m, value, None)
    result = m.new_list((), call_.node, "iterator")
    if items is not None:
        start = m.resolve(call_.argument(1, "start") or Const(0))
        first = start.value if isinstance(start, Const) and isinstance(start.value, int) else None
        pairs = tuple(
            TupleValue(((first is not None and constant_folding.kept(first + index)) or m.unknown(), item))
            for index, item in enumerate(items)
        )
        m.state.set(result, "#items", Contents(pairs))
        if iteration.is_made_later(m, value):
            iteration.made_later(m, result)
        return result
    m.state.set(result, "#lazy", ("enumerate", value, call_.nodes[0]))
    return result


def make_zip(m: Machine, call_: Invocation) -> object:
    """`zip(x, y)`."""
    if "*" in call_.keywords:
        return iteration.transposed(m, call_.keywords["*"], call_.node)
    given, nodes = [m.resolve(each) for each in call_.arguments], call_.nodes
    result = m.new_list((), call_.node, "iterator")
    count = len(given)
    if (
        count > 1
        and isinstance(given[0], Sequence)
        and given[0].kind == "iterator"
        and given.count(given[0]) == count
    ):
        # One iterator, asked in turns: neighbours.
        found = iteration.items(m, given[0], nodes[0])
        rows = [None if found is None else found[n::count] for n in range(count)]
    else:
        rows = [
            iteration.fields(m, value) if isinstance(value, Either) else iteration.items(m, value, node)
            for value, node in zip(given, nodes, strict=False)
        ]
    of_parts = next((row for row in rows if row and all(_is_part(m, each) for each in row)), ())
    if of_parts:
        # An iterable parallel to parameters or layers has an item for each (gradients, sizes, copies, devices).
        rows = [
            [iteration.element(m, value, node, n) for n in range(len(of_parts))] if row is None else row
            for row, value, node in zip(rows, given, nodes, strict=False)
        ]
    if rows and all(row is not None for row in rows):
        m.state.set(
            result, "#items", Contents(tuple(TupleValue(tuple(each)) for each in zip(*rows, strict=False)))
        )
        if any(iteration.is_made_later(m, each) for each in given):
            iteration.made_later(m, result)
        return result
    # An iterator has given its items here.
    kept = [value if row is None else TupleValue(tuple(row)) for row, value in zip(rows, given, strict=False)]
    m.state.set(result, "#lazy", ("zip", tuple(kept), tuple(nodes)))
    return result


def _is_part(m: Machine, value: object) -> bool:
    if isinstance(value, InstanceValue):
        return classes.is_module(m, value)
    return isinstance(value, TensorValue) and value.is_parameter


def make_sequence(m: Machine, call_: Invocation) -> object:
    """`list(x)`, `tuple(x)`, `set(x)`, `sorted(x)`, `reversed(x)`, `iter(x)`."""
    kind = call_.short_name
    if not call_.arguments:
        return (
            TupleValue(())
            if kind == "tuple"
            else m.new_list((), call_.node, "set" if "set" in kind else "list")
        )
    value = m.resolve(call_.arguments[0])
    items = iteration.items(m, value, None)
    if items is not None:
        if kind == "reversed":
            items = items[::-1]
        elif kind == "sorted" and len(items) > 1:
            items = ordered(m, items, call_)
        if kind == "tuple":
            return m.new_tuple(tuple(items))
        return m.new_list(
            tuple(items),
            call_.node,
            "set" if "set" in kind else "iterator" if kind in ("iter", "reversed") else "list",
        )
    if kind == "iter":
        return value
    result = m.new_list((), call_.node, "iterator" if kind == "reversed" else "list")
    contents = m.state.get(value, "#items") if isinstance(value, Sequence) else None
    if isinstance(contents, Contents) and m.state.get(value, "#lazy") is None:
        m.state.set(result, "#items", contents)
    else:
        m.state.set(result, "#items", Contents(None, iteration.element(m, value, call_.nodes[0], 0)))
    iteration.used_up(m, value)
    escaped = m.state.get(value, "#escaped") if isinstance(value, (Sequence, Mapping)) else None
    if escaped is not None:
        m.state.set(result, "#escaped", escaped)
    return result


def queue(m: Machine, call_: Invocation) -> object:
    """`deque(items, maxlen=...)`: what is put into a full one pushes out what is at the other end."""
    limit = m.resolve(call_.argument(1, "maxlen") or NONE)
    call_.arguments, call_.nodes = call_.arguments[:1], call_.nodes[:1]
    call_.name = "builtins.list"
    made = make_sequence(m, call_)
    if isinstance(made, Sequence) and limit != NONE:
        m.state.set(made, "#at most", limit)
        containers.pushed_out(m, made, from_the_end=False)
    return made


def total(m: Machine, call_: Invocation) -> object:
    """`sum(x)`: added up one by one."""
    if not call_.arguments:
        return m.unknown(call_.node)
    value = m.resolve(call_.arguments[0])
    items = iteration.items(m, value, None)
    if items is None:
        items = [iteration.element(m, value, call_.nodes[0], 0)]
        iteration.used_up(m, value)
    total: object = call_.argument(1, "start") or Const(0)
    for item in items:
        total = operators.binary(
            m, call_.node, "__add__", call_.node, total, call_.nodes[0] or call_.node, item
        )
    return total


def make_map(m: Machine, call_: Invocation) -> object:
    """`map(function, x)`: called here, though Python calls it later."""
    if len(call_.arguments) < 2:
        return m.unknown(call_.node)
    items = iteration.items(m, call_.arguments[1], call_.nodes[1])
    result = m.new_list((), call_.node, "iterator")
    if items is not None and len(call_.arguments) == 2 and len(items) <= 6:
        m.state.set(
            result,
            "#items",
            Contents(tuple(calls.call(m, call_.arguments[0], [each], {}, call_.node) for each in items)),
        )
        iteration.made_later(m, result)
        return result
    elements = [
        iteration.element(m, value, node, 0)
        for value, node in zip(call_.arguments[1:], call_.nodes[1:], strict=False)
    ]
    m.state.set(result, "#items", Contents(None, calls.call(m, call_.arguments[0], elements, {}, call_.node)))
    return result


def make_filter(m: Machine, call_: Invocation) -> object:
    """`filter(function, x)`."""
    if len(call_.arguments) < 2:
        return m.unknown(call_.node)
    items = iteration.items(m, call_.arguments[1], call_.nodes[1])
    result = m.new_list((), call_.node, "iterator")
    if items is None:
        m.state.set(
            result, "#items", Contents(None, iteration.element(m, call_.arguments[1], call_.nodes[1], 0))
        )
        return result
    kept: list[object] = []
    exact = True
    function = m.resolve(call_.arguments[0])
    for item in items:
        test = m.truth(item if function == NONE else calls.call(m, function, [item], {}, call_.node))
        if test is False:
            continue
        exact = exact and test is True
        kept.append(item)
    m.state.set(
        result,
        "#items",
        Contents(tuple(kept)) if exact else Contents(None, m.any_of(tuple(kept)) or m.unknown()),
    )
    return result


HAS_NEXT: Final = "#has next"
"""The slot of a call of `next` that says that there is something to be had: it raises no StopIteration.

True where that is seen, `PRESUMED` where nothing is known of the module whose parameters are asked for.
"""

PRESUMED: Final = "presumed"


def _of_parameters(contents: Contents) -> object:
    """Whether these are parameters of a module: one of which nothing is known is taken to have some."""
    first = contents.items[0] if contents.items else contents.element
    if isinstance(first, TensorValue) and first.is_parameter:
        return True
    return (
        isinstance(first, Symbol)
        and isinstance(first.key, tuple)
        and first.key[0] == "parameter of"
        and PRESUMED
    )


def next_item(m: Machine, call_: Invocation) -> object:
    """`next(x)`."""
    value = m.resolve(call_.receiver)
    if m.state.get(call_.node, HAS_NEXT):
        m.state.set(call_.node, HAS_NEXT, False)  # of another call of the same function
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents) and (there := _of_parameters(contents)):
            m.state.set(call_.node, HAS_NEXT, there)
        if isinstance(contents, Contents) and contents.items:
            if value.kind == "iterator":
                m.state.set(value, "#items", Contents(contents.items[1:], contents.element))
            return contents.items[0]
        if isinstance(contents, Contents) and contents.items == () and len(call_.arguments) > 1:
            return call_.arguments[1]
        asked = m.state.get(value, "#asked") is not None
        m.state.set(value, "#asked", True)
        return iteration.element(m, value, call_.nodes[0], int(asked))
    if isinstance(value, InstanceValue):
        method = classes.method_of(m, value, "__next__")
        if method is not None:
            return calls.call(m, method, [], {}, call_.node)
    return iteration.element(m, value, call_.nodes[0], 0)


# Sorting: what comes first, where the keys say so


def ordered(m: Machine, items: list[object], call_: Invocation) -> list[object]:
    """The items of `sorted(items, key=...)`; each of them may be any where the keys are not known."""
    keys = _keys(m, items, call_)
    backwards = m.resolve(call_.keywords.get("reverse", Const(value=False)))
    if keys is not None and isinstance(backwards, Const):
        try:
            order = sorted(range(len(items)), key=lambda n: keys[n], reverse=bool(backwards.value))  # type: ignore[arg-type,return-value]
        except TypeError:
            return items  # what cannot be compared: torch has no part in it
        return [items[n] for n in order]
    if all(isinstance(each, Const) for each in items):
        return items
    return [m.any_of(tuple(items)) for _ in items]


def _keys(m: Machine, items: list[object], call_: Invocation) -> list[object] | None:
    """Operands of comparisons, if all of them are known."""
    function = m.resolve(call_.keywords.get("key", NONE))
    if function != NONE:
        if not isinstance(function, FunctionValue) or len(items) > limits.UNROLLED_ITEMS:
            return None
        items = [m.resolve(calls.call(m, function, [each], {}, None)) for each in items]
    constants = [each.value for each in items if isinstance(each, Const)]
    return list(constants) if len(constants) == len(items) else None
