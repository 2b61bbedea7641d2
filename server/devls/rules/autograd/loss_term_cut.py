"""loss-term-cut: a term of a loss depends on what is trained, and backward does not know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import SummandCut
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("loss-term-cut", on=SummandCut, level="warning")
def loss_term_cut(event: SummandCut) -> Iterator[Finding]:
    """Report where the term is cut."""
    why = event.cut.what
    yield Finding(
        f"a term of the loss loses its gradients here ({why}): it changes the value of the loss, and trains nothing",
        event.site,
        Confidence.LIKELY,
        notes=(
            *(Note(each, "it depends on these parameters") for each in event.parameters[:2]),
            *(
                ()
                if event.total.key == event.site.key
                else (Note(event.total, "it is added to the loss here"),)
            ),
            Note(event.backward, "backward goes through the other terms only"),
        ),
    )
