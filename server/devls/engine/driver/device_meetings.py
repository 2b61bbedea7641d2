"""Calls that are given things from different places: there devices meet, whatever the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import call_costs, limits
from devls.engine.torch.nn import registry
from devls.values.conditions import leaves
from devls.values.devices import CPU, KnownDevice, NamedDevice
from devls.values.history import Step
from devls.values.value import InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.machine import Machine


@call_costs.steps_where_devices_meet.answer
def steps_for(m: Machine, arguments: list[object], keywords: dict[str, object]) -> int:
    """What a call may take that there are no steps left for: something, if what it is given comes from different places."""
    allowance = m.allowance
    if allowance is None or allowance.meetings == 0 or not m.frame.plausible:
        return 0
    if not _meet(m, (*arguments, *keywords.values())) or m.silent:
        return 0
    allowance.meetings -= 1
    return limits.STEPS_OF_MEETING


def _meet(m: Machine, values: Iterable[object]) -> bool:
    """Whether one of some values was made here, on the CPU, and another is on an accelerator."""
    made: bool = False
    elsewhere: bool = False
    modules_given: list[InstanceValue] = []
    for each in values:
        kind: object = type(each)  # asked of each argument of many calls
        if kind is Symbol:
            elsewhere = elsewhere or (each.plausible and each.hint == "tensor")  # type: ignore[attr-defined]
        elif kind is TensorValue:
            places = leaves(m.device(each))  # type: ignore[arg-type]
            made = made or (CPU in places and _made_here(m, each))  # type: ignore[arg-type]
            elsewhere = elsewhere or any(map(_may_accelerate, places))
        elif kind is InstanceValue and each.serial >= m.run_began:  # type: ignore[attr-defined]
            modules_given.append(each)  # type: ignore[arg-type]
    made = made or any(_is_here(m, each) for each in modules_given if elsewhere)
    return made and elsewhere


def _is_here(m: Machine, instance: InstanceValue) -> bool:
    """Whether a module that was made here has parameters on the CPU."""
    place = registry.device(m, instance) if registry.is_module(m, instance) else None
    return place is not None and CPU in leaves(place)


def _made_here(m: Machine, tensor: TensorValue) -> bool:
    step = m.state.get(tensor, "device_step", tensor.device_step)
    return (
        bool(tensor.nonscalar)
        and tensor.serial >= m.run_began
        and isinstance(step, Step)
        and step.kind == "created"
    )


def _may_accelerate(place: object) -> bool:
    if isinstance(place, NamedDevice):
        return place.may_accelerate
    return isinstance(place, KnownDevice) and place.is_accelerator


__all__ = ["steps_for"]
