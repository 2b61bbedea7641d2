"""Entries of dictionaries: how they are read, put in and taken out; and calls that make dictionaries."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, limits
from devls.engine.core.invocation import Invocation
from devls.engine.core.joins import Entries
from devls.engine.python import calls, classes, iteration, mappings
from devls.values.value import Const, InstanceValue, Mapping, Sequence, Symbol, TupleValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame

REGISTRY_OF: Final = "#registry of"
"""The slot of `module._parameters` or `module._buffers` that holds the module: what is taken out there is gone from it."""


def item(m: Machine, owner: Mapping, index: object) -> object:
    """`mapping[index]`; what a `defaultdict` makes is put there."""
    entries = m.state.get(owner, "#entries")
    if not isinstance(entries, Entries):
        return m.unknown()
    key = mappings.key_of(index)
    if key is not None:
        if key in entries.known:
            return entries.known[key]
        factory = m.state.get(owner, "#factory")
        if factory is not None and m.state.get(owner, "#any key") is not True:
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


def get_entry(m: Machine, owner: object, key: object) -> object:
    """An entry of a dict."""
    return item(m, owner, key) if isinstance(owner, Mapping) else m.unknown()


def is_missing(m: Machine, owner: Mapping, index: object) -> bool:
    """Whether a dict holds nothing that a key could stand for."""
    entries = m.state.get(owner, "#entries")
    if not isinstance(entries, Entries) or entries.rest is not None:
        return False
    key = mappings.key_of(index)
    return key not in entries.known if key is not None else not entries.known


def set_entry(m: Machine, owner: Mapping, index: object, value: object) -> None:
    """Put one entry into a dict."""
    entries = m.state.get(owner, "#entries")
    if not isinstance(entries, Entries):
        entries = Entries({}, m.unknown())
    if isinstance(value, Sequence):
        m.state.set(value, "#entry of", owner)
    if (module := m.state.get(owner, REGISTRY_OF)) is not None:
        library_semantics.registered_entry(m, module, entries, index, value)
    key = mappings.key_of(index)
    by_loop = _put_by_loop(m, owner, entries, index, value) if m.frame.loops else None
    if by_loop is not None:
        m.state.set(owner, "#entries", by_loop)
    elif key is not None and (key in entries.known or len(entries.known) < limits.ENTRIES):
        m.state.set(owner, "#entries", entries.put(key, value))
    else:
        m.state.set(owner, "#entries", mappings.overlaid(m, entries, Entries({}, value)))
        remember(m, owner, value)


def remove_entry(m: Machine, owner: Mapping, key: object, *, only_perhaps: bool = False) -> None:
    """`del owner[key]`; of `module._parameters` it is gone from the module.

    Of one of several dicts it is gone only perhaps: the entry of each is unknown.
    """
    entries, found = m.state.get(owner, "#entries"), mappings.key_of(key)
    if not isinstance(entries, Entries) or found is None:
        return
    if found in entries.known:
        left = entries.put(found, m.unknown()) if only_perhaps else entries.without(found)
        m.state.set(owner, "#entries", left)
    module = m.state.get(owner, REGISTRY_OF)
    if module is None or not isinstance(key, Const):
        return
    if only_perhaps:
        m.state.set(module, str(key.value), m.unknown())
    else:
        m.state.delete(module, str(key.value))


def remember(m: Machine, owner: Sequence | Mapping, value: object) -> None:
    """Keep in mind some objects that were put into a container, which may soon hold too many to tell them apart."""
    put = m.state.get(owner, "#put", ())
    if isinstance(value, InstanceValue) and isinstance(put, tuple) and len(put) < limits.REMEMBERED_ITEMS:
        m.state.set(owner, "#put", (*put, value))


# Writes of a loop to each entry of the dictionary that it goes through: `for key in d: d[key] = d[key].cpu()`


def _put_by_loop(
    m: Machine, owner: Mapping, entries: Entries, index: object, value: object
) -> Entries | None:
    """The entries once one was put in by a loop over them that is not run for each; None where that is something else."""
    for loop in m.frame.loops:
        if loop.exact or not isinstance(loop.node, (ast.For, ast.AsyncFor)):
            continue
        if not any(m.state.get(m.frame.scope, each) is index for each in _names(loop.node.target)):
            continue
        key = mappings.key_of(index)
        if key is None:
            if mappings.keys_of(index) is not owner:
                continue
            return Entries(dict.fromkeys(entries.known, value), value, entries.there)
        if key in entries.known:
            later = {each: m.unknown() for each in _later(m, loop) if each in entries.known and each != key}
            return Entries({**entries.known, **later, key: value}, entries.rest, entries.there)
    return None


def _later(m: Machine, loop: LoopFrame) -> Iterator[object]:
    """The keys that a loop comes to after the iterations that are run."""
    for item in (iteration.items(m, loop.iterable, None) or [])[limits.LOOP_PASSES :]:
        key = mappings.key_of(item.items[0] if isinstance(item, TupleValue) and item.items else item)
        if key is not None:
            yield key


def _names(target: ast.expr) -> Iterator[str]:
    for each in ast.walk(target):
        if isinstance(each, ast.Name):
            yield each.id


# Calls that make dictionaries


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
