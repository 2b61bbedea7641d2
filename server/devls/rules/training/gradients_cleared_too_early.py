"""gradients-cleared-too-early: gradients are gone before a step uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events import Event, GradientsLost, StepWithoutGradients
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("gradients-cleared-too-early", on=Event, level="warning")
def gradients_cleared_too_early(event: Event) -> Iterator[Finding]:
    """Report at the clearing, or at the step that comes before any backward."""
    if isinstance(event, GradientsLost):
        yield Finding(
            f"`{event.optimizer}` clears gradients that no step has used",
            event.site,
            Confidence.LIKELY,
            notes=(Note(event.backward, "they were computed here"),) if event.backward is not None else (),
        )
    elif isinstance(event, StepWithoutGradients):
        yield Finding(
            f"`{event.optimizer}` steps before any backward: no parameter has a gradient, and nothing changes",
            event.site,
            Confidence.LIKELY,
        )
