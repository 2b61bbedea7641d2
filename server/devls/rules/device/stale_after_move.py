"""stale-after-move: what was taken from a module before it was moved is used after that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import Cause, DevicesMixed
from devls.rules.device import wording
from devls.rules.rule import Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("stale-after-move", on=DevicesMixed, level="error")
def stale_after_move(event: DevicesMixed) -> Iterator[Finding]:
    """Report where the old one is used."""
    if event.cause is not Cause.STALE:
        return
    stray, anchor = event.stray, event.anchor
    what = f"the buffer `{event.attribute}`" if event.attribute else "a module's tensors"
    note = "the module is moved here, and makes a new one" if event.attribute else "it is taken here"
    yield Finding(
        f"{wording.named(stray.text)} was taken from {what} before the module was moved, and is still"
        f" {wording.place(stray, event.comparison.left)}; {wording.named(anchor.text)} is"
        f" {wording.place(anchor, event.comparison.right)}: {wording.consequence(event)}",
        event.site,
        wording.confidence(event),
        fixes=wording.move_stray(event),
        notes=(
            *((Note(event.attribute_site, note),) if event.attribute_site is not None else ()),
            *wording.notes(anchor),
        ),
    )
