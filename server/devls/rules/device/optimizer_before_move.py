"""optimizer-before-move: an optimizer steps with a state that is on another device than its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events import Cause, DevicesMixed
from devls.rules import repairs
from devls.rules.device import wording
from devls.rules.rule import Finding, Note, fixes, rule
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("optimizer-before-move", on=DevicesMixed, level="error")
def optimizer_before_move(event: DevicesMixed) -> Iterator[Finding]:
    """Report at the step."""
    if event.cause is not Cause.STATE or event.stray.step is None:
        return
    state, moved = event.stray.step, event.anchor.step
    source = event.site.source
    found: tuple[Fix, ...] = ()
    if moved is not None and state.site.source is source and moved.site.source is source:
        built, move = (
            repairs.statement_of(source, state.site.node),
            repairs.statement_of(source, moved.site.node),
        )
        changes = repairs.moved_before(source, move, built)
        found = fixes(Fix("Move the model first", changes, Applicability.UNSAFE))
    where = wording.place(event.anchor, event.comparison.right)
    yield Finding(
        f"{event.stray.text} is {wording.place(event.stray, event.comparison.left)}, but its parameters are {where}:"
        f" {wording.consequence(event)}",
        event.site,
        wording.confidence(event),
        fixes=found,
        notes=(Note(state.site, state.what), *wording.notes(event.anchor)),
    )
