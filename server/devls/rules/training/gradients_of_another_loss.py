"""gradients-of-another-loss: a step uses gradients that the loss of another optimizer has left, with the wrong sign perhaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import GradientsMixed
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("gradients-of-another-loss", on=GradientsMixed, level="warning")
def gradients_of_another_loss(event: GradientsMixed) -> Iterator[Finding]:
    """Report at the step."""
    if not event.other:
        yield Finding(
            f"`{event.optimizer}` also uses gradients of a backward that was for an input: nothing has cleared them since."
            " Clear them, or ask for that of the input by `torch.autograd.grad`",
            event.site,
            Confidence.LIKELY,
            notes=(
                Note(event.first, "this backward, for an input, leaves gradients in the parameters, too"),
                Note(event.last, "this one adds to them"),
            ),
        )
        return
    yield Finding(
        f"`{event.optimizer}` also uses gradients of the loss that `{event.other}` stepped for: nothing has cleared them since",
        event.site,
        Confidence.LIKELY,
        notes=(
            Note(
                event.first,
                f"this backward, for `{event.other}`, leaves gradients in the parameters of `{event.optimizer}`",
            ),
            Note(event.last, "this one adds to them"),
        ),
    )
