"""activation-before-loss: a loss is given scores, probabilities or logarithms where it wants others of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core.events.calls import ActivationDoubled
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAID: Final = {
    "softmax twice": (
        "`{}` applies a softmax itself, and its input has been through one: the gradients are squashed, and training is slow or stops"
    ),
    "sigmoid twice": (
        "`{}` applies a sigmoid itself, and its input has been through one: the gradients are squashed, and training is slow or stops"
    ),
    "sigmoid of softmax": (
        "`{}` applies a sigmoid itself, and is given probabilities: none of them comes out below 0.5, and the gradients are squashed"
    ),
    "no logarithm": (
        "`{}` takes logarithms of probabilities, and is given probabilities: no logarithm is ever taken, the loss is between -1"
        " and 0, and its gradients are wrong"
    ),
    "raw scores": (
        "`{}` takes logarithms of probabilities, and is given scores: the loss falls without end as the scores grow; `cross_entropy`"
        " takes scores"
    ),
    "divergence of probabilities": (
        "`{}` takes logarithms of probabilities first, and is given probabilities: two equal distributions have a negative loss,"
        " and its gradients are wrong"
    ),
    "divergence of scores": (
        "`{}` takes logarithms of probabilities first, and is given scores: the loss falls without end as the scores grow"
    ),
    "no sigmoid": (
        "`{}` takes probabilities, and is given {}: torch raises as soon as one is not between 0 and 1"
    ),
}


@rule("activation-before-loss", on=ActivationDoubled, level="warning")
def activation_before_loss(event: ActivationDoubled) -> Iterator[Finding]:
    """Report at the loss."""
    scores = event.activation == "linear"
    yield Finding(
        _SAID[event.problem].format(event.loss, "scores" if scores else "logarithms"),
        event.site,
        Confidence.CERTAIN,
        notes=(Note(event.made, "they are computed here" if scores else f"the {event.activation} is here"),),
    )
