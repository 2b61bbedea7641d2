"""missing-zero-grad: an optimizer steps on gradients that add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import StaleStep
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("missing-zero-grad", on=StaleStep, level="warning")
def missing_zero_grad(event: StaleStep) -> Iterator[Finding]:
    """Report at the step."""
    found: tuple[Fix, ...] = ()
    backward = event.source_of_backward
    if (
        backward is not None
        and backward.source is event.site.source
        and event.backward_statement is not None
        and backward.calls == event.site.calls
    ):
        edit = rewrite.insert_before(
            event.site.source, event.backward_statement, f"{event.optimizer}.zero_grad()"
        )
        found = fixes(
            Fix(
                f"Call `{event.optimizer}.zero_grad()` before the backward", edits(edit), Applicability.UNSAFE
            )
        )
    if event.by_hand and event.statement is not None:
        gradient = f"{event.optimizer.removesuffix('.data')}.grad"  # `x.data` is another tensor each time
        edit = rewrite.insert_after(event.site.source, event.statement, f"{gradient} = None")
        found = fixes(Fix(f"Clear `{gradient}` after the update", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"`{event.optimizer}` steps on the sum of the gradients of all steps so far: nothing clears them in between",
        event.site,
        Confidence.LIKELY,
        fixes=found,
        notes=tuple(Note(each, "gradients are added here") for each in event.backwards),
    )
