"""hidden-state-carried: backward walks into the graph of the previous iteration."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events import BackwardAgain
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("hidden-state-carried", on=BackwardAgain, level="error")
def hidden_state_carried(event: BackwardAgain) -> Iterator[Finding]:
    """Report at the backward that walks too far."""
    if not event.carried or not event.carried_name:
        return
    name = event.carried_name.removesuffix("(...)")
    cut = f"{name} = {name}.detach()"
    if name != event.carried_name:
        cut = f"{name} = tuple(each.detach() for each in {name})"
    found: tuple[Fix, ...] = ()
    if (
        isinstance(event.loop, (ast.For, ast.While, ast.AsyncFor))
        and event.loop.body
        and name.replace(".", "").isidentifier()
    ):
        edit = rewrite.insert_before(event.site.source, event.loop.body[0], cut)
        found = fixes(
            Fix(
                f"Cut it at the top of the loop: `{cut}`",
                edits(edit),
                Applicability.UNSAFE,
            )
        )
    yield Finding(
        f"`{name}` carries the graph of the previous iteration, which that iteration's backward has freed: torch raises"
        ' "Trying to backward through the graph a second time" in the second iteration',
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(event.freed.site, "this operation of the previous iteration is walked again"),),
    )
