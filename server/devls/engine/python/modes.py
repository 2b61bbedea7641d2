"""Modes that a `with` sets and takes back: gradients, the default device, autocast; and contexts made of generators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.values.state import AMBIENT, ERROR_EXPECTED, MISSING
from devls.values.value import InstanceValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame

DEFAULTS: Final[dict[str, object]] = {
    "grad": True,
    "inference": False,
    "device": MISSING,
    "cuda index": None,
    "autocast": False,
    "autocast entered": None,
    ERROR_EXPECTED: False,
}


PAUSED: Final = "contextlib.context"


def yielded(m: Machine, frame: Frame) -> None:
    """A generator stops here, for the first time: its modes are those of a block that it is the context of."""
    if frame.modes is None and frame.function is not None and frame.function.kind == "context":
        frame.modes = {slot: m.state.get(AMBIENT, slot, default) for slot, default in DEFAULTS.items()}


def paused(m: Machine, frame: Frame) -> InstanceValue:
    """Result of calling a `@contextmanager`: a context that sets the modes which hold at its yield.

    All of its body has been run by then; what follows the yield should come after the block.
    """
    context = InstanceValue(None, PAUSED)
    m.state.set(context, "#entered", frame.yields[0])
    for slot, value in (frame.modes or {}).items():
        m.state.set(context, f"#mode {slot}", value)
    return context
