"""discarded-transfer: `x.to(device)` changes nothing when its result is dropped."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import ResultDiscarded
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("discarded-transfer", on=ResultDiscarded, level="warning")
def discarded_transfer(event: ResultDiscarded) -> Iterator[Finding]:
    """Report a transfer of a tensor whose result goes nowhere."""
    text = event.receiver_text
    origin = event.tensor.origin
    found: tuple[Fix, ...] = ()
    if event.target and isinstance(event.statement, ast.Expr):
        edit = rewrite.assign_result(event.site.source, event.statement, event.target)
        call = " ".join(event.site.source.slice(event.statement).split())
        found = fixes(Fix(f"Assign it: `{event.target} = {call}`", edits(edit), Applicability.SAFE))
    yield Finding(
        f"`.{event.operation}(...)` returns a new tensor and leaves `{text}` as it is; its result is dropped here",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(origin, f"`{text}` is a tensor, made here"),) if origin is not None else (),
    )
