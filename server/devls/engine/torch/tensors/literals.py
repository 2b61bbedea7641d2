"""Numbers that stand in the program: the shapes and dtypes of what they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.joins import Contents
from devls.values.value import Const, Sequence, Symbol, TupleValue, is_whole_number

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


def literal(m: Machine, data: object) -> tuple[tuple[int | None, ...] | None, str | None]:
    """Shape and dtype of literal data."""
    if isinstance(data, Const):
        kind = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}.get(type(data.value))
        return ((), kind) if kind is not None else (None, None)
    if isinstance(data, Symbol):
        if is_whole_number(data):
            return (), "int64"
        return (
            ((), None)
            if data.hint == "number" and data.named is False and data.text == "a number"
            else (None, None)
        )
    items: tuple[object, ...] | None = None
    if isinstance(data, TupleValue):
        items = data.items
    elif isinstance(data, Sequence):
        contents = m.state.get(data, "#items")
        if isinstance(contents, Contents):
            items = contents.items
            if items is None or contents.element is not None:
                inner = m.resolve(contents.element)
                shape, kind = literal(m, inner) if inner is not None else (None, None)
                return ((None, *shape) if shape is not None else None), kind
    if items is None:
        return None, None
    if not items:
        return (0,), "float32"
    shape, kind = literal(m, m.resolve(items[0]))
    kinds = {literal(m, m.resolve(each))[1] for each in items}
    if "float32" in kinds:
        kind = "float32"
    if None in kinds:
        kind = None
    return ((len(items), *shape) if shape is not None else None), kind
