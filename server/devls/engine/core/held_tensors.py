"""The tensors that a value holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.joins import Contents, Entries
from devls.values.value import Const, Mapping, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.machine import Machine


def tensors_in(m: Machine, values: Iterable[object], depth: int = 3) -> list[TensorValue]:
    """The tensors that values are or hold."""
    found: list[TensorValue] = []
    for value in values:
        for each in m.alternatives(value):
            kind = type(each)
            if kind is TensorValue:
                found.append(each)  # type: ignore[arg-type]
            elif depth == 0 or kind is Symbol or kind is Const:
                continue
            elif isinstance(each, TupleValue):
                found += tensors_in(m, each.items, depth - 1)
            elif isinstance(each, Sequence):
                contents = m.state.get(each, "#items")
                if isinstance(contents, Contents):
                    found += tensors_in(m, (*(contents.items or ()), contents.element), depth - 1)
            elif isinstance(each, Mapping):
                entries = m.state.get(each, "#entries")
                if isinstance(entries, Entries):
                    found += tensors_in(m, (*entries.known.values(), entries.rest), depth - 1)
    return found
