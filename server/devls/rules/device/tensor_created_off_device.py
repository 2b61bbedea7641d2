"""tensor-created-off-device: a factory without `device=` inside a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import Cause, DevicesMixed
from devls.rules.device import wording
from devls.rules.rule import Finding, Note, rule
from devls.text.excerpt import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("tensor-created-off-device", on=DevicesMixed, level="error")
def tensor_created_off_device(event: DevicesMixed) -> Iterator[Finding]:
    """Report at the factory: that is where the device belongs."""
    if event.cause is not Cause.CREATED or event.creation is None or event.creation_site is None:
        return
    anchor = event.anchor
    created, other = excerpt(event.creation_site.text), wording.named(anchor.text)
    verb = "are" if other.startswith("the parameters") else "is"
    yield Finding(
        f"`{created}` makes its tensor on the CPU, and {event.site.line} combines it with {other},"
        f" which {verb} {wording.place(anchor, event.comparison.right)}: {wording.consequence(event)}",
        event.creation_site,
        wording.confidence(event),
        fixes=wording.create_there(event) + wording.move_stray(event),
        notes=(Note(event.site, f"combined with {other} here"), *wording.notes(anchor)),
    )
