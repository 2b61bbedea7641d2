"""The stories of operands: how they came to be where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import Operand
from devls.engine.torch.tensors.device_check import step_of
from devls.values.history import Site, Step

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


def told(m: Machine, each: Operand) -> Operand:
    """An operand with its story, which there is no need to know of before there is something to tell."""
    step = each.step or step_of(m, each.tensor)
    over = m.state.get(each.tensor, "passed over")
    copied = m.state.get(step, "copied at") if isinstance(step, Step) else None
    if not isinstance(copied, Site):
        copied = None  # on some ways only
    return Operand(each.node, each.tensor, each.device, each.text, step, each.parameter, over, copied)  # type: ignore[arg-type]
