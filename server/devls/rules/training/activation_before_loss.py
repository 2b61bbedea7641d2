"""activation-before-loss: a loss is given scores, probabilities or logarithms where it wants others of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core.events.calls import ActivationDoubled
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAID: Final = {
    "softmax twice": (
        "`{}` applies a softmax itself, but its input has been through one: gradients become tiny, and training is slow or stops. Pass the scores"
    ),
    "sigmoid twice": (
        "`{}` applies a sigmoid itself, but its input has been through one: gradients become tiny, and training is slow or stops. Pass the scores"
    ),
    "sigmoid of softmax": (
        "`{}` applies a sigmoid itself, but is given probabilities: none of them comes out below 0.5, and gradients become tiny. Pass the scores"
    ),
    "no logarithm": (
        "`{}` expects logarithms of probabilities, but is given probabilities: the loss is between -1 and 0, and its"
        " gradients are wrong. Use `log_softmax`"
    ),
    "raw scores": (
        "`{}` expects logarithms of probabilities, but is given scores: the loss falls without end as the scores grow."
        " `cross_entropy` takes scores"
    ),
    "divergence of probabilities": (
        "`{}` expects logarithms of probabilities first, but is given probabilities: equal distributions have a negative"
        " loss, and its gradients are wrong"
    ),
    "divergence of scores": (
        "`{}` expects logarithms of probabilities first, but is given scores: the loss falls without end as the scores grow"
    ),
    "logarithms as target": (
        "`{}` expects probabilities as its target, but is given their logarithms: say `log_target=True`"
    ),
    "bounded scores": (
        "`{}` applies a softmax itself, and is given numbers between 0 and 1: even perfect ones have a large loss. Pass the scores"
    ),
    "scores without sign": (
        "`{}` takes scores of either sign, but these have been through a relu: what is below zero gets no gradient. Pass what goes into it"
    ),
    "sigmoid of relu": (
        "`{}` applies a sigmoid itself, but its input has been through a relu: no probability comes out below 0.5. Pass what goes into it"
    ),
    "other dimension": (
        "`{}` takes the classes along the second dimension, but the softmax is over another one: its probabilities do not add up"
        " to one for a sample"
    ),
    "no signs": "`{}` takes targets of 1 and -1, but is given zeros: a pair with 0 has no gradient, or is not what was meant",
    "no sigmoid": (
        "`{}` expects probabilities, but is given {}: torch raises as soon as one is not between 0 and 1"
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
        notes=_notes(event),
    )


def _notes(event: ActivationDoubled) -> tuple[Note, ...]:
    if event.made is None:
        return ()
    computed = event.activation == "linear" or event.problem == "no signs"
    return (Note(event.made, "they are computed here" if computed else f"the {event.activation} is here"),)
