"""eval-mode-mixed-up: training goes on in eval mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events_more import TrainedInEvalMode
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("eval-mode-mixed-up", on=TrainedInEvalMode, level="warning")
def eval_mode_mixed_up(event: TrainedInEvalMode) -> Iterator[Finding]:
    """Report where eval mode is entered."""
    found: tuple[Fix, ...] = ()
    if event.loop is not None:
        edit = rewrite.insert_before(event.site.source, event.loop, f"{event.model}.train()")
        found = fixes(
            Fix(f"Start each iteration with `{event.model}.train()`", edits(edit), Applicability.UNSAFE)
        )
    yield Finding(
        f"`{event.model}` stays in eval mode, and the next iteration trains it so: nothing calls `train()`",
        event.site,
        Confidence.LIKELY,
        fixes=found,
        notes=(Note(event.step, "it is trained here"),),
    )
