"""loss-broadcast: predictions and targets are broadcast against each other, and the mean of all is the best answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import LossBroadcast
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("loss-broadcast", on=LossBroadcast, level="warning")
def loss_broadcast(event: LossBroadcast) -> Iterator[Finding]:
    """Report where the two are compared."""
    yield Finding(
        f"predictions of shape {event.column} are compared with targets of shape {event.row}: broadcasting"
        " compares each with every other, so the model learns the mean",
        event.site,
        Confidence.CERTAIN,
        notes=(
            *(
                ()
                if event.prediction is None
                else (Note(event.prediction, f"the predictions, {event.column}"),)
            ),
            *(() if event.target is None else (Note(event.target, f"the targets, {event.row}"),)),
        ),
    )
