"""The modules that a value holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.joins import Contents, Entries
from devls.engine.torch.nn import registry
from devls.values.value import InstanceValue, Mapping, Sequence, TupleValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.machine import Machine


def held(m: Machine, value: object, depth: int = 2) -> Iterator[InstanceValue]:
    """The modules that an attribute stands for: one, several in a container, or those that another object holds."""
    for each in m.alternatives(m.resolve(value)):
        inner: tuple[object, ...] = ()
        if isinstance(each, InstanceValue):
            if registry.is_module(m, each):
                yield each
                continue
            inner = tuple(held for _, held in registry.entries(m, each))
        elif isinstance(each, TupleValue):
            inner = each.items
        elif isinstance(each, Sequence):
            contents = m.state.get(each, "#items")
            if isinstance(contents, Contents):
                inner = (*(contents.items or ()), contents.element)
        elif isinstance(each, Mapping):
            entries = m.state.get(each, "#entries")
            if isinstance(entries, Entries):
                inner = tuple(entries.known.values())
        if depth:
            for item in inner:
                yield from held(m, item, depth - 1)
