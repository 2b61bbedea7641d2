"""legacy-device-api: a device is chosen, or a gradient switched off, by a name of torch that is kept for old programs only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events_calls import OldSpelling
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("legacy-device-api", on=OldSpelling, level="warning")
def legacy_device_api(event: OldSpelling) -> Iterator[Finding]:
    """Report at the call; what merely is old is a remark."""
    found: tuple[Fix, ...] = ()
    source = event.site.source
    if event.replacement and source.slice(event.call.func).startswith("torch."):
        renamed = rewrite.replace(source, event.call.func, event.replacement)
        first = rewrite.prepend_argument(source, event.call, event.arguments) if event.arguments else renamed
        changes = edits(renamed, first) if event.arguments else edits(renamed)
        found = fixes(Fix(f"Use {event.advice}", changes, Applicability.SAFE))
    if event.breaks and "Variable" not in event.name:
        said = (
            f"`{event.name}` is a constructor of old that raises where its device is not: use {event.advice}"
        )
        level = "" if event.chosen else "info"
        yield Finding(said, event.site, Confidence.CERTAIN, fixes=found, level=level)
        return
    short = event.name.rpartition(".")[2]
    yield Finding(
        f"`{short}` is kept for old programs only: use {event.advice}",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        level="" if event.breaks else "info",
    )
