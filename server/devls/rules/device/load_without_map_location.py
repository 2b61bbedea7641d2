"""load-without-map-location: a checkpoint goes wherever it was saved from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import LoadedUnmapped
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("load-without-map-location", on=LoadedUnmapped, level="warning")
def load_without_map_location(event: LoadedUnmapped) -> Iterator[Finding]:
    """Report at the call of `torch.load`."""
    argument = f"map_location={event.target}" if event.target else 'map_location="cpu"'
    edit = rewrite.add_argument(event.site.source, event.call, argument)
    # A module that is called as it was loaded has to be where its inputs are.
    edit = None if event.accelerated and not event.target else edit
    safe = event.target or not event.whole
    yield Finding(
        "`torch.load` puts tensors on the device they were saved from, and raises on a machine without it: say where with `map_location`",
        event.site,
        Confidence.LIKELY,
        fixes=fixes(
            Fix(f"Say where: `{argument}`", edits(edit), Applicability.SAFE if safe else Applicability.UNSAFE)
        ),
        level="info" if event.needs_cuda else "",
        notes=(Note(event.used, "it is put to use here"),),
    )
