"""current-card-taken: `.cuda()` where the card of an argument is meant."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import CurrentCardTaken
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("current-card-taken", on=CurrentCardTaken, level="info")
def current_card_taken(event: CurrentCardTaken) -> Iterator[Finding]:
    """Report at the move."""
    call, source = event.site.node, event.site.source
    found: tuple[Fix, ...] = ()
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and not call.keywords:
        code = f"{repairs.as_receiver(source, call.func.value)}.to({event.like or event.meant})"
        found = fixes(
            Fix(
                f"Use `.to({event.like or event.meant})`",
                edits(rewrite.replace(source, call, code)),
                Applicability.SAFE,
            )
        )
    if event.like:
        yield Finding(
            f"a type such as `torch.cuda.FloatTensor` names no GPU: this moves to the current GPU, but `{event.like}` may be on another",
            event.site,
            Confidence.LIKELY,
            fixes=found,
        )
        return
    why = "it came from" if event.back else "this only runs where a GPU is"
    yield Finding(
        f"`.cuda()` moves to the current GPU, but {why} `{event.meant}`, which may be another GPU",
        event.site,
        Confidence.LIKELY,
        fixes=found,
    )
