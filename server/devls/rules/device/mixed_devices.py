"""mixed-devices: one operation is given tensors on different devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events import Cause, DevicesMixed
from devls.rules.device import wording
from devls.rules.rule import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


_SPECIAL = frozenset(
    {Cause.LAYER_INPUT, Cause.ATTRIBUTE, Cause.MODULE, Cause.STATE, Cause.RENAMED, Cause.STALE}
)
"""What rules of their own explain."""


@rule("mixed-devices", on=DevicesMixed, level="error")
def mixed_devices(event: DevicesMixed) -> Iterator[Finding]:
    """Report what no more special rule explains."""
    if event.cause in _SPECIAL or (event.cause is Cause.CREATED and event.creation is not None):
        return
    stray, anchor = event.stray, event.anchor
    own = f".{stray.parameter}" if stray.node is None and stray.parameter.isidentifier() else ""
    yield Finding(
        f"`{stray.text}{own}` is {wording.place(stray, event.comparison.left)}, but {wording.named(anchor.text)} is"
        f" {wording.place(anchor, event.comparison.right)}: {wording.consequence(event)}",
        event.site,
        wording.confidence(event),
        fixes=wording.move_stray(event) + wording.create_there(event) + wording.move_at_origin(event),
        notes=wording.notes(stray, anchor),
    )
