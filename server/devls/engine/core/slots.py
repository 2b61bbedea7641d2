"""Attributes of objects as slots of the state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.values.conditions import Either
from devls.values.value import Symbol

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import InstanceValue


def set_slot(m: Machine, instance: InstanceValue, name: str, value: object) -> None:
    """Set an attribute and remember that it is there."""
    names = m.state.get(instance, "#names", ())
    if name not in names:  # type: ignore[operator]
        m.state.set(instance, "#names", (*names, name))  # type: ignore[misc]
    m.state.set(instance, name, value)


def entries_of(m: Machine, instance: InstanceValue) -> list[tuple[str, object]]:
    """Names and values of what was set on an object, in order of setting."""
    names: tuple[str, ...] = m.state.get(instance, "#names", ())  # type: ignore[assignment]
    if not names:
        return []
    return [
        (name, m.resolve(value) if type(value) is Either or type(value) is Symbol else value)
        for name, value in zip(names, m.state.get_all(instance, names), strict=True)
    ]
