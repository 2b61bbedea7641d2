"""data-parallel-device: `DataParallel` runs a module that is not on the first of its devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.calls import WrappedOffDevice
from devls.rules.device import wording
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("data-parallel-device", on=WrappedOffDevice, level="error")
def data_parallel_device(event: WrappedOffDevice) -> Iterator[Finding]:
    """Report at the call of the wrapper."""
    found: tuple[Fix, ...] = ()
    here = "the CPU" if event.here == "cpu" else event.here
    if event.wrapped is not None and event.made is not None and event.made.source is event.site.source:
        edit = rewrite.append(event.site.source, event.wrapped, f".to({event.first})")
        found = fixes(Fix(f"Move `{event.text}` to `{event.first}` first", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"`{event.wrapper}` runs {wording.named(event.text)}, whose parameters are on {here}: it moves inputs, not the module,"
        " and torch raises where there is more than one accelerator",
        event.site,
        Confidence.LIKELY,
        fixes=found,
        notes=(Note(event.made, "it is wrapped here"),) if event.made is not None else (),
    )
