"""async-host-read: a copy to the CPU is read before it has arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.transfers import ReadUnsynchronized
from devls.rules.repairs import without_argument
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("async-host-read", on=ReadUnsynchronized, level="warning")
def async_host_read(event: ReadUnsynchronized) -> Iterator[Finding]:
    """Report at the read; the fix is at the copy."""
    edit = without_argument(event.moved, "non_blocking")
    yield Finding(
        f"`{event.text}` is read while it is still on its way to the CPU: nothing waits for the copy with"
        " `non_blocking=True`, and what is read may be garbage",
        event.site,
        Confidence.LIKELY if event.only_when_accelerated else Confidence.CERTAIN,
        fixes=fixes(Fix("Wait for the copy", edits(edit), Applicability.SAFE)),
        notes=(Note(event.moved, "it is sent here, and nobody waits"),),
    )
