"""The state in which functions run by themselves: modes as for any caller, containers as somebody may have filled them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.checks import (
    scaler_protocol,
    zero_grad,
)
from devls.engine.core.joins import Contents, Entries
from devls.engine.torch.optim import FILLED, UNSEEN_SCALER
from devls.values.devices import UNKNOWN_DEVICE
from devls.values.state import AMBIENT, MISSING, STOPPED
from devls.values.value import (
    NONE,
    FunctionValue,
    InstanceValue,
    Mapping,
    Scope,
    Sequence,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine

_OF_THE_PROGRAM: Final = ("called", "evaluated", "optimizers built", "stepped at", "#synchronized")
"""Memory of the surroundings about objects that the program has made and others cannot have."""


def fill_empty(m: Machine, function: FunctionValue, receiver: InstanceValue | None) -> None:
    """A global list or attribute that is empty now will have been filled by somebody when the function is called."""
    known = m.empty_globals.get(function.scope.globals, [])
    for value in (*known, *(_empty(m, [receiver]) if receiver is not None else ())):
        if isinstance(value, Sequence):
            m.state.set(value, "#items", Contents(None, m.unknown()))
            continue
        entries = m.state.get(value, "#entries")
        rest: object = entries.rest if isinstance(entries, Entries) else None
        if isinstance(rest, Sequence):
            rest = m.new_list((), kind=rest.kind)
            m.state.set(rest, "#items", Contents(None, m.unknown()))
        m.state.set(value, "#entries", Entries({}, rest if isinstance(rest, Sequence) else m.unknown()))
        m.state.set(value, "#any key", True)


def remember_empty(m: Machine, scope: Scope) -> None:
    """Note what is empty where the program has ended: the same for each function, since all begin there."""
    values = [m.state.get(scope, name) for name in sorted(scope.names)]
    owners: list[object] = [scope, *(each for each in values if isinstance(each, InstanceValue))]
    m.empty_globals[scope] = _empty(m, owners)


def _empty(m: Machine, owners: list[object], depth: int = 1) -> list[object]:
    """The lists and dicts among what some objects hold that are empty now, or hold None in all places.

    Containers that these objects have made for themselves may have been filled as well: `self.bus = Bus()`.
    """
    found: list[object] = []
    for owner in owners:
        names = owner.names if isinstance(owner, Scope) else m.state.get(owner, "#names", ())
        for name in names:  # type: ignore[attr-defined]
            value = m.state.get(owner, name)
            if isinstance(value, Sequence):
                contents = m.state.get(value, "#items")
                if isinstance(contents, Contents) and contents.element is None and _holds_nothing(contents):
                    found.append(value)
            elif isinstance(value, Mapping):
                entries = m.state.get(value, "#entries")
                made = m.state.get(value, "#factory") is not None
                if isinstance(entries, Entries) and not entries.known and (entries.rest is None or made):
                    found.append(value)
            elif depth and isinstance(value, InstanceValue) and value.cls is not None:
                found += _empty(m, [value], depth - 1)
    return found


def _holds_nothing(contents: Contents) -> bool:
    """Whether a list has no items, or only places for some: `[None] * 3`."""
    return contents.items is not None and all(each == NONE for each in contents.items)


def make_neutral(m: Machine) -> None:
    """The main program's changes of modes do not hold for callers from elsewhere."""
    m.state.set(AMBIENT, "grad", m.state.get(AMBIENT, "framework evaluates") is not True)
    if m.sets_default_device:
        # Whoever calls the function may do so under that device.
        m.state.set(AMBIENT, "device", UNKNOWN_DEVICE)
    if m.state.get(AMBIENT, "tensor type") is not None:
        m.state.set(AMBIENT, "tensor type", UNKNOWN_DEVICE)
    m.state.write(_NEUTRAL)


_NEUTRAL: Final[dict[tuple[object, str], object]] = {
    (AMBIENT, "inference"): False,
    (AMBIENT, STOPPED): None,
    (AMBIENT, "open backward"): None,
    **{(AMBIENT, slot): MISSING for slot in _OF_THE_PROGRAM},
    (AMBIENT, "optimizers"): (),
    **{
        (AMBIENT, slot): None
        for slot in (*scaler_protocol.OF_SCALING, UNSEEN_SCALER, FILLED, zero_grad.STEPPED)
    },
    ("backward", "last"): None,
}
"""State of the surroundings for any caller."""
