"""loss-term-cut: a term of a loss depends on what is trained, and backward does not know of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.protocols import SampleCut, SummandCut, TermLost
from devls.rules import repairs
from devls.rules.mending import mended
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("loss-term-cut", on=SummandCut, level="warning")
def loss_term_cut(event: SummandCut) -> Iterator[Finding]:
    """Report where the term is cut."""
    if isinstance(event, TermLost):
        yield (
            _unused(event)
            if not event.overwritten
            else Finding(
                f"each iteration overwrites `{event.name}`, so backward goes through the last term only: the others train"
                " nothing. Add them up",
                event.site,
                Confidence.LIKELY,
                notes=(Note(event.backward, "backward is called here"),),
            )
        )
        return
    if isinstance(event, SampleCut):
        yield Finding(
            f"the loss is computed of a sample without gradients ({event.cut.what}): what the distribution is made of"
            " learns nothing from it",
            event.site,
            Confidence.LIKELY,
            fixes=_rsample(event),
            notes=(Note(event.total, "it is used here"), Note(event.backward, _BACKWARD[event.ahead])),
        )
        return
    why = event.cut.what
    yield Finding(
        f"a term of the loss loses its gradients here ({why}): it changes the value of the loss, and trains nothing",
        event.site,
        Confidence.LIKELY,
        fixes=mended(event.cut, event.site.source),
        notes=(
            *(Note(each, "it depends on these parameters") for each in event.parameters[:2]),
            *(
                ()
                if event.total.key == event.site.key
                else (Note(event.total, "it is added to the loss here"),)
            ),
            Note(event.backward, _THROUGH[event.ahead]),
        ),
    )


_BACKWARD: Final = {False: "backward is called here", True: "a backward goes through what is returned here"}
_THROUGH: Final = {
    False: "backward goes through the other terms only",
    True: "a backward of what is returned here goes through the other terms only",
}


def _rsample(event: SampleCut) -> tuple[Fix, ...]:
    call = event.site.node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return ()
    source = event.site.source
    if call.func.attr != "sample":
        return ()
    edit = rewrite.replace(source, call.func, f"{repairs.as_receiver(source, call.func.value)}.rsample")
    return fixes(Fix("Use `rsample`", edits(edit), Applicability.UNSAFE))


def _unused(event: TermLost) -> Finding:
    return Finding(
        f"`{event.name}` is computed with its graph, and no backward goes through it: it trains nothing. Add it to the loss, or"
        " compute it under `no_grad`",
        event.site,
        Confidence.LIKELY,
        notes=(Note(event.backward, "backward is called here"),),
    )
