"""Methods of lists, dicts, sets and queues: what they hold afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, program_moments
from devls.engine.core.joins import Contents, Entries, key_told
from devls.engine.python import entries as entry_values
from devls.engine.python import iteration, mappings, narrowing
from devls.values.graph import next_serial
from devls.values.value import (
    NONE,
    TRUE,
    Const,
    InstanceValue,
    Mapping,
    Sequence,
    Symbol,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


EMPTIED: Final = "#emptied"
"""The slot of a list with the serial of the moment at which it was emptied."""


def append(m: Machine, call_: Invocation) -> object:
    owner = call_.receiver
    if isinstance(owner, Sequence) and len(call_.arguments) >= 2:
        value = call_.arguments[-1]
        program_moments.stored(m, call_.node, owner, value, call_.nodes[-1])
        contents = m.state.get(owner, "#items")
        if isinstance(contents, Contents):
            if contents.items is not None and len(contents.items) < 24 and contents.element is None:
                items = _put(m, call_, contents.items, value)
                m.state.set(owner, "#items", Contents(items))
                if m.state.get(owner, "#at most") is not None:
                    pushed_out(m, owner, from_the_end=call_.short_name == "appendleft")
            else:
                element = m.any_of((*(contents.items or ()), contents.element, value), items=True)
                m.state.set(owner, "#items", Contents(None, element))
            entry_values.remember(m, owner, value)
        _grows(m, owner)
    return NONE


GROWS: Final = "#grows in"
"""The slot of a list that holds the number of the loop which adds to it, round after round."""


def _grows(m: Machine, owner: Sequence) -> None:
    """A list was there before a loop whose iterations are not all run: how long it is in a later one nobody knows."""
    for loop in m.loops:
        if not loop.exact and owner.serial < loop.number:
            m.state.set(owner, GROWS, loop.number)
            return


def has_grown(m: Machine, owner: Sequence) -> bool:
    """Whether a list holds more in later iterations of a running loop than the two that are run have put there."""
    number = m.state.get(owner, GROWS)
    return number is not None and any(loop.number == number for loop in m.loops)


def _put(m: Machine, call_: Invocation, items: tuple[object, ...], value: object) -> tuple[object, ...]:
    if call_.short_name == "appendleft":
        return (value, *items)
    position = m.resolve(call_.arguments[1]) if call_.short_name == "insert" else None
    if isinstance(position, Const) and isinstance(position.value, int):
        return (*items[: position.value], value, *items[position.value :])
    return (value, *items) if call_.short_name == "insert" else (*items, value)


def extend(m: Machine, call_: Invocation) -> object:
    owner = call_.receiver
    if isinstance(owner, Sequence) and len(call_.arguments) == 2:
        items = iteration.items(m, call_.arguments[1], call_.nodes[1])
        contents = m.state.get(owner, "#items")
        if isinstance(contents, Contents):
            for item in items if items is not None else ():
                program_moments.stored(m, call_.node, owner, item, call_.nodes[1])
            if items is not None and contents.items is not None and contents.element is None:
                m.state.set(owner, "#items", Contents((*contents.items, *items)))
                _grows(m, owner)
                pushed_out(m, owner, from_the_end=False)
            else:
                more = (
                    tuple(items)
                    if items is not None
                    else (iteration.element(m, call_.arguments[1], call_.nodes[1], 0),)
                )
                m.state.set(
                    owner,
                    "#items",
                    Contents(None, m.any_of((*(contents.items or ()), contents.element, *more))),
                )
    return NONE


def pop(m: Machine, call_: Invocation) -> object:
    owner = call_.receiver
    if isinstance(owner, Sequence):
        contents = m.state.get(owner, "#items")
        if isinstance(contents, Contents):
            if contents.items and contents.element is None:
                end = Const(0 if call_.short_name == "popleft" else -1)
                index = m.resolve(call_.arguments[1]) if len(call_.arguments) > 1 else end
                if (
                    isinstance(index, Const)
                    and isinstance(index.value, int)
                    and -len(contents.items) <= index.value < len(contents.items)
                ):
                    items = list(contents.items)
                    value = items.pop(index.value)
                    m.state.set(owner, "#items", Contents(tuple(items)))
                    return value
            found = m.any_of((*(contents.items or ()), contents.element))
            return m.unknown(call_.node) if found is None else found
    if isinstance(owner, Mapping):
        return _pop_entry(m, call_, owner)
    return m.unknown(call_.node)


def _pop_entry(m: Machine, call_: Invocation, owner: Mapping) -> object:
    """`mapping.pop(key)`: what is known to be there is there no more."""
    entries = m.state.get(owner, "#entries")
    key = mappings.key_of(m.resolve(call_.argument(1, "key")))
    if isinstance(entries, Entries) and key is not None:
        if key in entries.known:
            found = get(m, call_)
            entry_values.remove_entry(m, owner, key_told(key))
            return found
        if entries.rest is None and len(call_.arguments) < 3 and "default" not in call_.keywords:
            return m.unknown(call_.node)  # torn out before, or an error that is not ours
    return get(m, call_)


def pop_item(m: Machine, call_: Invocation) -> object:
    """`mapping.popitem()`: the last one that was put in."""
    entries = m.state.get(call_.receiver, "#entries")
    if len(call_.arguments) > 1 or call_.keywords or not isinstance(entries, Entries):
        return m.unknown(call_.node)
    if entries.rest is not None or not entries.known:
        return m.unknown(call_.node)
    known = dict(entries.known)
    key, value = known.popitem()
    m.state.set(call_.receiver, "#entries", Entries(known))
    return TupleValue((key_told(key), value))


def reverse(m: Machine, call_: Invocation) -> object:
    """`items.reverse()`."""
    contents = m.state.get(call_.receiver, "#items")
    if isinstance(contents, Contents) and contents.items is not None:
        m.state.set(call_.receiver, "#items", Contents(contents.items[::-1], contents.element))
    return NONE


def reorder(m: Machine, call_: Invocation) -> object:
    """`sort`, `remove`, `rotate`: afterwards nobody knows which item is where, or which one is gone."""
    owner = call_.receiver
    contents = m.state.get(owner, "#items")
    if isinstance(contents, Contents) and contents.items is not None and isinstance(owner, Sequence):
        items = contents.items
        if (
            call_.short_name == "remove"
            and len(call_.arguments) > 1
            and m.resolve(call_.arguments[1]) in items
        ):
            value = m.resolve(call_.arguments[1])
            if all(isinstance(each, (Const, InstanceValue)) for each in items):
                place = items.index(value)
                m.state.set(owner, "#items", Contents(items[:place] + items[place + 1 :], contents.element))
                return NONE
        if len(items) > 1 or call_.short_name == "remove":
            m.state.set(owner, "#items", Contents(None, m.any_of((*items, contents.element))))
    return NONE


def pushed_out(m: Machine, owner: Sequence, *, from_the_end: bool) -> None:
    """Item that a full queue drops once something was put into it."""
    limit = m.state.get(owner, "#at most")
    contents = m.state.get(owner, "#items")
    if limit is None or not isinstance(contents, Contents) or contents.items is None:
        return
    if not isinstance(limit, Const) or not isinstance(limit.value, int):
        m.state.set(owner, "#items", Contents(None, m.any_of((*contents.items, contents.element))))
    elif len(contents.items) > limit.value:
        kept = contents.items[: limit.value] if from_the_end else contents.items[-limit.value or None :]
        m.state.set(owner, "#items", Contents(kept if limit.value else (), contents.element))


def empty(m: Machine, owner: Sequence) -> None:
    """Take all items out of a list: `items.clear()`, `del items[:]`, `items[:] = []`."""
    m.state.set(owner, "#items", Contents(()))
    m.state.set(owner, "#escaped", True)
    m.state.set(owner, EMPTIED, next_serial())


def clear(m: Machine, call_: Invocation) -> object:
    owner = call_.receiver
    if isinstance(owner, Sequence):
        empty(m, owner)
    elif isinstance(owner, Mapping):
        m.state.set(owner, "#entries", Entries({}))
    return NONE


def get(m: Machine, call_: Invocation) -> object:
    owner = call_.receiver
    key = m.resolve(call_.argument(1, "key"))
    default = call_.arguments[2] if len(call_.arguments) > 2 else call_.keywords.get("default", NONE)
    entries = m.state.get(owner, "#entries") if isinstance(owner, Mapping) else None
    if isinstance(entries, Entries):
        wanted = mappings.key_of(key)
        if wanted is not None and wanted in entries.known:
            return _known_entry(m, call_, entries, wanted, default)
        if call_.short_name == "setdefault" and isinstance(owner, Mapping):
            return _set_default(m, owner, entries, key, default)
        if wanted is not None and entries.rest is None:
            return default
        found = m.any_of((*entries.known.values(), entries.rest))
        return m.unknown(call_.node) if found is None else m.any_of((found, default))
    return m.unknown(call_.node)


def _known_entry(m: Machine, call_: Invocation, entries: Entries, key: object, default: object) -> object:
    """Result of `get`, `setdefault` and `pop` for a key that is known to be there, or to be there on some paths."""
    found = entries.known[key]
    has_default = len(call_.arguments) > 2 or "default" in call_.keywords or call_.short_name != "pop"
    there = narrowing.as_value(entries.there[key]) if key in entries.there else TRUE
    test = m.truth(m.unknown(call_.node) if there is None else there)
    if test is not True and has_default:
        found = m.select(test, found, default)
    if call_.short_name == "setdefault":
        m.state.set(call_.receiver, "#entries", entries.put(key, found))
    return found


def _set_default(m: Machine, owner: Mapping, entries: Entries, key: object, default: object) -> object:
    """Result of `setdefault` for a key that is not known to be there; from then on it is."""
    found = default
    if entries.rest is not None and not (isinstance(entries.rest, Symbol) and isinstance(default, Sequence)):
        found = m.any_of((entries.rest, default))  # of a list it is known at any rate that it is a list
    entry_values.set_entry(m, owner, key, found)
    return found


def keys(m: Machine, call_: Invocation) -> object:
    entries = m.state.get(call_.receiver, "#entries")
    if isinstance(entries, Entries) and entries.rest is None:
        return m.new_list(tuple(map(key_told, entries.known)), call_.node)
    return mappings.all_keys(m, call_.receiver)


def values(m: Machine, call_: Invocation) -> object:
    entries = m.state.get(call_.receiver, "#entries")
    result = m.new_list((), call_.node)
    if isinstance(entries, Entries):
        if entries.rest is None:
            m.state.set(result, "#items", Contents(tuple(entries.known.values())))
        else:
            m.state.set(result, "#items", Contents(None, m.any_of((*entries.known.values(), entries.rest))))
    else:
        m.state.set(result, "#items", Contents(None, m.unknown()))
    return result


def entry(m: Machine, call_: Invocation) -> object:
    return entry_values.get_entry(m, call_.receiver, m.resolve(call_.argument(1, "key")))


def set_entry(m: Machine, call_: Invocation) -> object:
    if isinstance(call_.receiver, Mapping) and len(call_.arguments) > 2:
        entry_values.set_entry(m, call_.receiver, m.resolve(call_.arguments[1]), call_.arguments[2])
    return NONE


def items(m: Machine, call_: Invocation) -> object:
    entries = m.state.get(call_.receiver, "#entries")
    result = m.new_list((), call_.node)
    if isinstance(entries, Entries) and entries.rest is None:
        m.state.set(
            result,
            "#items",
            Contents(tuple(TupleValue((key_told(key), each)) for key, each in entries.known.items())),
        )
        return result
    key = mappings.key_at_hand(m, call_.receiver)
    value: object = m.unknown()
    if isinstance(entries, Entries):
        value = m.any_of((*entries.known.values(), entries.rest))
    m.state.set(result, "#items", Contents(None, TupleValue((key, value))))
    return result


def update(m: Machine, call_: Invocation) -> object:
    owner = call_.receiver
    entries = m.state.get(owner, "#entries") if isinstance(owner, Mapping) else None
    if isinstance(entries, Entries):
        if len(call_.arguments) > 1:
            other = m.resolve(call_.arguments[1])
            more = m.state.get(other, "#entries") if isinstance(other, Mapping) else None
            more = more if isinstance(more, Entries) else Entries({}, m.unknown())
            _registered(m, owner, entries, more)
            entries = mappings.overlaid(m, entries, more)
        if call_.keywords:
            entries = mappings.overlaid(m, entries, mappings.given(call_.keywords))
        m.state.set(owner, "#entries", entries)
    elif isinstance(owner, Sequence):
        return extend(m, call_)
    return NONE


def _registered(m: Machine, owner: object, held: Entries, more: Entries) -> None:
    """`module._modules.update(layers)`: the module has them from now on."""
    module = m.state.get(owner, entry_values.REGISTRY_OF)
    if module is None:
        return
    for key, value in more.known.items():
        library_semantics.registered_entry(m, module, held, key_told(key), value)
    if more.rest is not None:
        library_semantics.registered_entry(m, module, held, m.unknown(), more.rest)


def copy(m: Machine, call_: Invocation) -> object:
    owner = call_.receiver
    if isinstance(owner, Sequence):
        result = m.new_list((), call_.node, owner.kind)
        m.state.set(result, "#items", m.state.get(owner, "#items"))
        return result
    if isinstance(owner, Mapping):
        copied = m.new_dict({}, None, call_.node)
        m.state.set(copied, "#entries", m.state.get(owner, "#entries"))
        return copied
    return m.unknown(call_.node)
