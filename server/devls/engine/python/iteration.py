"""Items of an iterable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, limits, priors, program_moments
from devls.engine.core.joins import Contents, Entries, key_told
from devls.engine.core.transfer import ROWS
from devls.engine.python import calls, classes, mappings
from devls.values.conditions import Either, leaves
from devls.values.facts import fact
from devls.values.graph import Node
from devls.values.history import Site
from devls.values.value import (
    BoundMethod,
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
    import ast

    from devls.engine.core.machine import Machine


@fact
class Parts:
    """A tuple of unknown length, `(*head, *spread, *tail)`: what is known of its two ends."""

    head: tuple[object, ...]
    spread: object
    tail: tuple[object, ...] = ()

    def unpacked(self, m: Machine, count: int) -> list[object]:
        """Its items, if there are `count` of them."""
        between = max(0, count - len(self.head) - len(self.tail))
        middle = [component(m, self.spread, None, index, between) for index in range(between)]
        return [*self.head, *middle, *self.tail][:count]

    def around(self, m: Machine, before: int, after: int) -> list[object]:
        """The first `before` items, a list of those between, and the last `after`."""
        first, last = list(self.head[:before]), list(self.tail[len(self.tail) - min(after, len(self.tail)) :])
        first += [component(m, self.spread, None, index, before) for index in range(before - len(first))]
        last = [m.unknown() for _ in range(after - len(last))] + last
        between = m.new_list(())
        m.state.set(between, "#items", Contents(None, m.unknown()))
        return [*first, between, *last]


def is_range(value: object) -> bool:
    """Whether these are numbers in order, as `range` gives them."""
    return (isinstance(value, Symbol) and value.hint == "range") or (
        isinstance(value, Sequence) and value.kind == "range"
    )


def items(m: Machine, value: object, node: ast.expr | None) -> list[object] | None:
    """All items, where they are known one by one; consumes an iterator."""
    value = mappings.plain(m, m.resolve(value))
    if isinstance(value, TupleValue):
        m.state.work += len(value.items)
        return list(value.items)
    if isinstance(value, Sequence):
        if m.state.get(value, "#lazy") is not None:
            return None
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents) and contents.items is not None and contents.element is None:
            if value.kind == "iterator":
                exhaust(m, value)
            m.state.work += len(contents.items)
            return list(contents.items)
        return None
    if isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        if isinstance(entries, Entries) and entries.rest is None:
            return [key_told(key) for key in entries.known]
        return None
    if isinstance(value, Const) and isinstance(value.value, (str, bytes)) and len(value.value) <= 8:
        return [Const(each) for each in value.value]
    if isinstance(value, InstanceValue):
        return classes.named_items(m, value) or library_semantics.items_of_instance(m, value)
    del node
    return None


def rows_or_items(m: Machine, value: object, node: ast.expr | None) -> list[object] | None:
    """All items of what is spread into a display: those of a tensor are its rows, where their number is known."""
    tensor = m.resolve(value)
    if not isinstance(tensor, TensorValue):
        return items(m, value, node)
    count = tensor.shape[0] if tensor.shape else None
    if count is None or count > limits.UNROLLED_ITEMS:
        return None
    return [ROWS[TensorValue](m, tensor, node) for _ in range(count)]


def seen(m: Machine, value: object) -> object | None:
    """One of the items that are seen of an iterator that gives more: a loop comes by all of them. None for others."""
    value = m.resolve(value)
    if isinstance(value, Either):
        then, otherwise = seen(m, value.then), seen(m, value.otherwise)
        if then is None or otherwise is None:
            return None
        return m.select(Either(value.condition, True, False), then, otherwise)
    if not isinstance(value, Sequence) or value.kind != "iterator" or m.state.get(value, "#lazy") is not None:
        return None
    contents = m.state.get(value, "#items")
    if not isinstance(contents, Contents) or not contents.items:
        return None
    return m.any_of(contents.items[: limits.VALUE_CASES])


def used_up(m: Machine, value: object) -> None:
    """An iterator whose items are not known one by one has given all of them: there are none for whoever comes next."""
    value = m.resolve(value)
    if not isinstance(value, Sequence) or value.kind != "iterator" or m.state.get(value, "#lazy") is not None:
        return
    if isinstance(m.state.get(value, "#items"), Contents):
        exhaust(m, value)


def exhaust(m: Machine, iterator: Sequence) -> None:
    """An iterator has given all of its items here."""
    m.state.set(iterator, "#items", Contents(()))
    m.state.set(iterator, "#exhausted", True)
    if m.frame.statement is not None:
        m.state.set(iterator, "#exhausted at", m.site(m.frame.statement))


def exhausted_at(m: Machine, iterator: Sequence) -> Site | None:
    """Place at which an iterator gave its last item, on one of the paths that lead here."""
    return next(
        (each for each in leaves(m.state.get(iterator, "#exhausted at")) if isinstance(each, Site)), None
    )


def element(m: Machine, value: object, node: ast.expr | None, number: int) -> object:
    """Item of iteration `number`, if the items are not known one by one."""
    value = m.resolve(value)
    if isinstance(value, Either):
        return m.select(
            Either(value.condition, True, False),
            element(m, value.then, node, number),
            element(m, value.otherwise, node, number),
        )
    if isinstance(value, Sequence):
        return _element_of_sequence(m, value, number)
    if isinstance(value, Mapping):
        return mappings.key_at_hand(m, value)
    if isinstance(value, TensorValue):
        return ROWS[TensorValue](m, value, node)
    if isinstance(value, LibraryName) and library_semantics.is_unseen(value.name):
        value = Symbol(("imported", value.name), value.name.rpartition(".")[2])
    if isinstance(value, Symbol):
        return _element_of_unknown(m, value, node, number)
    if isinstance(value, InstanceValue):
        return _element_of_instance(m, value, node, number)
    return m.unknown()


ONE_OF: Final = "#one of"
"""The slot of something unknown that says which list it is an item of: one whose items are too many to tell apart."""


def _element_of_sequence(m: Machine, value: Sequence, number: int) -> object:
    lazy = m.state.get(value, "#lazy")
    if isinstance(lazy, tuple):
        return _lazy(m, lazy, number)
    contents = m.state.get(value, "#items")
    if not isinstance(contents, Contents):
        return m.unknown()
    found = m.any_of((*(contents.items or ()), contents.element))
    if number and found is not None and not contents.items:
        return another(m, found)
    if isinstance(found, Symbol):
        m.state.set(found, ONE_OF, value)
    return m.unknown() if found is None else found


def _element_of_unknown(m: Machine, value: Symbol, node: ast.expr | None, number: int) -> object:
    if value.hint == "tensor":
        return ROWS[TensorValue](m, m.as_tensor(value), node)
    ends = m.state.get(value, "#parts")
    if isinstance(ends, Parts):
        found = m.any_of((*ends.head, element(m, ends.spread, node, number), *ends.tail), items=True)
        return m.unknown() if found is None else found
    hint = "number" if value.hint in ("range", "number") else ""
    if value.hint == "string":
        hint = "string"
    item = Symbol(
        ("item", value.key, m.fresh_number() if number else 0, number),
        f"an item of {value.text}",
        named=value.named,
        hint=hint,
        plausible=value.plausible and not priors.is_named_like_loader(value.text),
        site=value.site,
        device=value.device,
        computed=value.computed,
    )
    if hint == "number":
        library_semantics.number_computed(m, item, value)
    priors.item_handed_out(m, value, item)
    return item


def _element_of_instance(m: Machine, value: InstanceValue, node: ast.expr | None, number: int) -> object:
    found = library_semantics.element_of_instance(m, value, node, number)
    if found is not None:
        return found
    method = classes.method_of(m, value, "__iter__")
    if method is not None:
        produced = calls.call(m, method, [], {}, node)
        inner = items(m, produced, node)
        if inner:
            return inner[min(number, len(inner) - 1)]
        if produced is not value:
            return element(m, produced, node, number)
    method = classes.method_of(m, value, "__next__") or classes.method_of(m, value, "__getitem__")
    if method is None:
        return m.unknown()
    arguments: list[object] = [Symbol(("index", m.fresh_number()), "index", hint="number")]
    is_next = isinstance(method, BoundMethod) and getattr(method.function, "name", "") == "__next__"
    return calls.call(m, method, [] if is_next else arguments, {}, node)


def was_there(m: Machine, tensor: TensorValue, iterable: object) -> bool:
    """Whether a tensor is an item of what a loop goes through, given out by code out of sight: it was there before."""
    key = tensor.symbol.key if tensor.symbol is not None else None
    value = m.resolve(iterable)
    lazy = m.state.get(value, "#lazy") if isinstance(value, Sequence) else None
    if isinstance(lazy, tuple) and lazy[0] in ("enumerate", "zip"):
        inner = lazy[1] if lazy[0] == "zip" else (lazy[1],)
        return any(was_there(m, tensor, each) for each in inner)
    return isinstance(value, Symbol) and isinstance(key, tuple) and key[:2] == ("item", value.key)


_MADE_LATER: Final = "#made later"


def made_later(m: Machine, iterator: Sequence) -> None:
    """Keep in mind that the items of an iterator are computed one by one, when they are asked for."""
    m.state.set(iterator, _MADE_LATER, True)


def is_made_later(m: Machine, value: object) -> bool:
    """Whether the items of an iterator are computed when they are asked for."""
    value = m.resolve(value)
    return (
        isinstance(value, Sequence)
        and value.kind == "iterator"
        and m.state.get(value, _MADE_LATER) is not None
    )


def another(m: Machine, item: object, depth: int = 3) -> object:
    """Another item of a list of which one stands for all: like it, with a graph of its own."""
    item = m.resolve(item)
    if isinstance(item, TensorValue):
        node = m.node(item)
        if not isinstance(node, Node) or m.requires_grad(item) is False or item.view_of is not None:
            return item  # views of one tensor share what is behind it
        return TensorValue(
            device=m.device(item),
            requires_grad=m.requires_grad(item),
            leaf=m.is_leaf(item),
            node=Node("item", (item,), node.site, keeps=False, open=True),
            dtype=item.dtype,
            shape=item.shape,
            nonscalar=item.nonscalar,
            storage=item.storage,
            inference=item.inference,
            origin=item.origin,
            device_step=item.device_step,
            grad_step=item.grad_step,
            symbol=item.symbol,
        )
    if isinstance(item, Symbol) and item.computed is not None and isinstance(item.computed.node, Node):
        own = Node("item", (), item.computed.node.site, (), keeps=False, open=True)
        return Symbol(
            ("another", item.key, m.fresh_number()),
            item.text,
            hint=item.hint,
            site=item.site,
            device=item.device,
            computed=Computed(item.computed.requires_grad, own),
        )
    if isinstance(item, TupleValue) and depth:
        items = tuple(another(m, each, depth - 1) for each in item.items)
        return item if items == item.items else TupleValue(items)
    if isinstance(item, Sequence) and depth and m.state.get(item, "#lazy") is None:
        contents = m.state.get(item, "#items")
        if isinstance(contents, Contents) and not contents.items and contents.element is not None:
            element_ = another(m, contents.element, depth - 1)
            if element_ is not contents.element:
                result = m.new_list((), None, item.kind)
                m.state.set(result, "#items", Contents(None, element_))
                return result
    return item


def transposed(m: Machine, row: object, node: ast.expr | None) -> Sequence:
    """`zip(*rows)` of rows that are like `row`, nobody knows how many: the columns."""
    result = m.new_list((), node, "iterator")
    row = m.resolve(row)
    if isinstance(row, TupleValue):
        m.state.set(result, "#items", Contents(tuple(_column(m, each) for each in row.items)))
    else:
        m.state.set(result, "#lazy", ("columns", row, node))
    return result


def columns(m: Machine, rows: object, node: ast.expr | None) -> Sequence | None:
    """`zip(*rows)` of a list that begins with rows we know, and goes on with others: the columns, row by row."""
    rows = m.resolve(rows)
    contents = m.state.get(rows, "#items") if isinstance(rows, Sequence) else None
    if not isinstance(contents, Contents) or contents.element is None:
        return None
    every = [fields(m, row) for row in (*(contents.items or ()), contents.element)]
    widths = {len(row or ()) for row in every}
    if len(widths) > 1 or 0 in widths:
        return None
    result, found = m.new_list((), node, "iterator"), []
    for parts in zip(*every, strict=True):
        column = m.new_list((), None, "tuple")
        m.state.set(column, "#items", Contents(parts[:-1], parts[-1]))
        found.append(column)
    m.state.set(result, "#items", Contents(tuple(found)))
    return result


def fields(m: Machine, row: object) -> list[object] | None:
    """The items of a tuple, or of one of several that are all of one length; None for anything else."""
    rows = m.alternatives(row)
    if any(isinstance(each, InstanceValue) for each in rows):
        named = [_fields_by_name(m, each) for each in rows]
        if any(each is None or len(each) != len(named[0] or ()) for each in named):
            return None
        return [m.any_of(parts) for parts in zip(*(each or () for each in named), strict=True)]
    widths = {len(each.items) if isinstance(each, TupleValue) else 0 for each in rows}
    width = widths.pop()
    if widths or not width:
        return None
    return [component(m, row, None, index, width) for index in range(width)]


def _fields_by_name(m: Machine, row: object) -> list[object] | None:
    return classes.named_items(m, row) if isinstance(row, InstanceValue) else None


def _column(m: Machine, value: object) -> Sequence:
    column = m.new_list((), None, "tuple")
    m.state.set(column, "#items", Contents(None, value))
    return column


def _lazy(m: Machine, lazy: tuple[object, ...], number: int) -> object:
    """One item of `enumerate(...)` or `zip(...)` over what is not known item by item."""
    kind, values, nodes = lazy
    if kind == "yields":
        assert isinstance(values, tuple)  # noqa: S101  for the type checker
        found = values[min(number, len(values) - 1)]
        return (
            another(m, found) if number else found
        )  # the second is computed when the first has been dealt with
    if kind == "columns":
        return _column(m, element(m, values, None, number))
    if kind == "enumerate":
        index = Symbol(("index", m.fresh_number()), "index", hint="number", named=True)
        return TupleValue((index, element(m, values, nodes, number)))  # type: ignore[arg-type]
    row = []
    for value, node in zip(values, nodes, strict=False):  # type: ignore[call-overload]
        known = items(m, value, node)
        if known is not None and known:
            if len(known) > 1:
                program_moments.items_passed_over(m, known)
            row.append(known[min(number, len(known) - 1)])
        else:
            row.append(element(m, value, node, number))
    return TupleValue(tuple(row))


def number_in(value: Symbol) -> str:
    """The hint of a part of something: those of a shape are numbers; an argument that has parts is not the number that its default is."""
    given = isinstance(value.key, tuple) and value.key[:1] == ("parameter",)
    return "number" if value.hint == "number" and not given else ""


def component(m: Machine, value: object, node: ast.expr | None, index: int, count: int) -> object:
    """One of `count` parts that a value is unpacked into."""
    value = m.resolve(value)
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents) and contents.items and index < len(contents.items):
            return contents.items[index]
        lazy = m.state.get(value, "#lazy")
        if isinstance(lazy, tuple) and lazy[0] == "columns":
            return _column(m, component(m, lazy[1], node, index, count))
    if isinstance(value, TupleValue) and index < len(value.items):
        return value.items[index]
    if isinstance(value, Either):
        return m.select(
            Either(value.condition, True, False),
            component(m, value.then, node, index, count),
            component(m, value.otherwise, node, index, count),
        )
    if isinstance(value, Symbol):
        return Symbol(
            ("part", value.key, index),
            f"{value.text}[{index}]",
            named=value.named,
            plausible=value.plausible,
            hint=value.hint if value.hint == "tensor" else number_in(value),
            site=value.site,
            device=value.device,
            computed=value.computed,
            part_of=value.part_of or value,
        )
    del count
    return element(m, value, node, index)
