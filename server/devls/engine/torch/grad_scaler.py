"""Gradient scalers (`torch.amp.GradScaler`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.values.value import FALSE

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import InstanceValue


def is_disabled(m: Machine, scaler: InstanceValue) -> bool:
    """Whether a scaler was made with `enabled=False`, and hands everything through."""
    return m.resolve(m.state.get(scaler, "enabled")) == FALSE
