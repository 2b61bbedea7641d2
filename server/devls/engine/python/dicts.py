"""Calls that make dictionaries: `dict(...)`, and the constructors of classes derived from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core.invocation import Invocation
from devls.engine.core.joins import Entries
from devls.engine.python import classes, iteration, mappings
from devls.values.value import Mapping, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import InstanceValue

_DEFAULT: Final = "collections.defaultdict"


def make(m: Machine, call_: Invocation) -> object:
    """`dict(...)`."""
    made = mappings.given(call_.keywords)
    if call_.arguments:
        value = mappings.plain(m, m.resolve(call_.arguments[0]))
        entries = m.state.get(value, "#entries") if isinstance(value, Mapping) else None
        if not isinstance(entries, Entries):
            pairs = _pairs(m, value)
            entries = Entries(pairs or {}, m.unknown() if pairs is None else None)
        made = mappings.overlaid(m, entries, made) if call_.keywords else entries
    return m.new_dict(made, node=call_.node)


def _pairs(m: Machine, value: object) -> dict[object, object] | None:
    """Keys and values of a sequence of pairs, where all of them are known."""
    rows = iteration.items(m, value, None)
    found: dict[object, object] = {}
    for row in rows or ():
        if not isinstance(row, TupleValue) or len(row.items) != len("kv"):
            return None
        key = mappings.key_of(m.resolve(row.items[0]))
        if key is None:
            return None
        found[key] = row.items[1]
    return None if rows is None else found


def fill(m: Machine, instance: InstanceValue, call: Invocation) -> None:
    """`dict.__init__(instance, ...)`."""
    if instance.cls is not None and _DEFAULT in classes.library_bases(m, instance.cls) and call.arguments:
        # The first argument makes what is missing.
        m.state.set(mappings.of(m, instance), "#factory", call.arguments[0])
        call = Invocation(call.name, call.arguments[1:], call.keywords, call.node, call.nodes[1:])
    entries = m.state.get(make(m, call), "#entries")
    m.state.set(mappings.of(m, instance), "#entries", entries)
