"""device-compared-wrongly: a comparison of devices that never holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import DeviceCompared
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("device-compared-wrongly", on=DeviceCompared, level="warning")
def device_compared_wrongly(event: DeviceCompared) -> Iterator[Finding]:
    """Report a comparison that does not ask what it seems to ask."""
    found: tuple[Fix, ...] = ()
    if event.replacement:
        edit = rewrite.replace(event.site.source, event.site.node, event.replacement)
        found = fixes(Fix(f"Compare `{event.replacement}`", edits(edit), Applicability.UNSAFE))
    yield Finding(event.problem, event.site, Confidence.CERTAIN, fixes=found)
