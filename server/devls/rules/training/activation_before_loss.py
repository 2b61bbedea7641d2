"""activation-before-loss: a loss that applies an activation itself is given what has already been through it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.calls import ActivationDoubled
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("activation-before-loss", on=ActivationDoubled, level="warning")
def activation_before_loss(event: ActivationDoubled) -> Iterator[Finding]:
    """Report at the loss."""
    if event.inside:
        said = (
            f"`{event.loss}` applies {event.inside} itself, and its input has been through one: the gradients are squashed,"
            " and training is slow or stops"
        )
    else:
        said = (
            f"`{event.loss}` takes logarithms of probabilities, and is given probabilities: no logarithm is ever taken, the loss"
            " is between -1 and 0, and its gradients are wrong"
        )
    yield Finding(
        said,
        event.site,
        Confidence.CERTAIN,
        notes=(Note(event.made, f"the {event.activation} is here"),),
    )
