"""discarded-result: the result of an operation that changes nothing is thrown away."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import ComputedForNothing, HookGivesNothing, ResultUnused
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("discarded-result", on=ResultUnused, level="warning")
def discarded_result(event: ResultUnused) -> Iterator[Finding]:
    """Report at the statement."""
    if isinstance(event, HookGivesNothing):
        yield Finding(
            f"the hook `{event.function}` computes `{event.text}` and returns None: torch goes on with what it has given"
            f" to the hook. Return `{event.text}`",
            event.site,
            Confidence.CERTAIN,
        )
        return
    if not isinstance(event, ComputedForNothing):
        return
    found: tuple[Fix, ...] = ()
    if event.statement is not None and isinstance(event.receiver, (ast.Name, ast.Attribute)):
        edit = rewrite.assign_result(event.site.source, event.statement, event.text)
        found = fixes(Fix(f"Assign it: `{event.text} = ...`", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"`.{event.operation}(...)` returns a new tensor and leaves `{event.text}` as it is; its result is dropped here",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )
