"""input-off-module-device: a module and its input are on different devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import Cause, DevicesMixed
from devls.rules.device import wording
from devls.rules.rule import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.events.events import Operand


@rule("input-off-module-device", on=DevicesMixed, level="error")
def input_off_module_device(event: DevicesMixed) -> Iterator[Finding]:
    """Report the input that was not moved, or the module that was not."""
    stray, anchor = event.stray, event.anchor
    if event.cause is Cause.LAYER_INPUT:
        message = (
            f"{wording.named(stray.text)} is {wording.place(stray, event.comparison.left)}, but {_parameters(anchor)} are"
            f" {wording.place(anchor, event.comparison.right)}: {wording.consequence(event)}"
        )
        fixes = wording.move_batch(event) + wording.move_at_origin(event) + wording.move_stray(event)
    elif event.cause is Cause.MODULE:
        message = (
            f"{_parameters(stray)} are {wording.place(stray, event.comparison.left)}, but {wording.named(anchor.text)} is"
            f" {wording.place(anchor, event.comparison.right)}: {wording.consequence(event)}"
        )
        fixes = wording.move_at_origin(event)
    else:
        return
    yield Finding(
        message, event.site, wording.confidence(event), fixes=fixes, notes=wording.notes(stray, anchor)
    )


def _parameters(module: Operand) -> str:
    """The parameters of a module in words; of one that is not seen they are what the operand is."""
    text = wording.named(module.text)
    return text if text.startswith("the parameters of ") else f"the parameters of {text}"
