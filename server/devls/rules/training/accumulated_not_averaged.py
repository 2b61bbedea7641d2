"""accumulated-not-averaged: gradients of several parts are added up, not averaged."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import LossNotScaled
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("accumulated-not-averaged", on=LossNotScaled, level="warning")
def accumulated_not_averaged(event: LossNotScaled) -> Iterator[Finding]:
    """Report at the backward."""
    found: tuple[Fix, ...] = ()
    call = event.site.node
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
    ):
        code = f"({event.loss} / {event.count})"
        edit = rewrite.replace(event.site.source, call.func.value, code)
        found = fixes(Fix(f"Divide the loss: `{code}`", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"the gradients of `{event.count}` backward calls are added up, but nothing divides `{event.loss}` by that number:"
        " each step is that many times too large",
        event.site,
        Confidence.LIKELY,
        fixes=found,
        notes=() if event.made is None else (Note(event.made, "the loss comes from here"),),
    )
