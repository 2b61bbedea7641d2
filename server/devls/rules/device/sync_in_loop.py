"""sync-in-loop: each step of training waits several times until the accelerator is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.transfers import WaitedInLoop
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("sync-in-loop", on=WaitedInLoop, level="info")
def sync_in_loop(event: WaitedInLoop) -> Iterator[Finding]:
    """Report at the first place; the others are related."""
    when = " whenever an accelerator is used" if event.only_when_accelerated else ""
    yield Finding(
        f"each step waits {len(event.texts)} times for the device{when}, here first: `{event.texts[0]}`. Keep sums on the"
        " device, and read them every so many steps",
        event.places[0],
        Confidence.LIKELY if event.only_when_accelerated else Confidence.CERTAIN,
        notes=tuple(
            Note(site, f"`{text}` waits, too")
            for site, text in zip(event.places[1:], event.texts[1:], strict=True)
        ),
    )
