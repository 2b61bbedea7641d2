"""discarded-transfer: `x.to(device)` changes nothing when its result is dropped."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import ResultDiscarded
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source


@rule("discarded-transfer", on=ResultDiscarded, level="warning")
def discarded_transfer(event: ResultDiscarded) -> Iterator[Finding]:
    """Report a transfer of a tensor whose result goes nowhere."""
    text = event.receiver_text
    origin = event.tensor.origin
    found: tuple[Fix, ...] = ()
    statement = event.statement
    if isinstance(statement, ast.Expr):
        whole = isinstance(statement.value, ast.Call) and event.receiver is not None
        target = (_entry(event.site.source, event.receiver) if whole else "") or event.target
        if target:
            edit = rewrite.assign_result(event.site.source, statement, target)
            call = " ".join(event.site.source.slice(statement).split())
            found = fixes(Fix(f"Assign it: `{target} = {call}`", edits(edit), Applicability.SAFE))
    yield Finding(
        f"`.{event.operation}(...)` returns a new tensor and leaves `{text}` as it is; its result is dropped here",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(origin, f"`{text}` is a tensor, made here"),) if origin is not None else (),
    )


def _entry(source: Source, value: ast.expr | None) -> str:
    """`batch[key]`, in a loop `for key, value in batch.items()` over the values: the name alone is forgotten."""
    if not isinstance(value, ast.Name):
        return ""
    loop = next((each for each in ancestors(source, value) if isinstance(each, ast.For)), None)
    if loop is None or not isinstance(loop.target, ast.Tuple) or not isinstance(loop.iter, ast.Call):
        return ""
    names = [each.id for each in loop.target.elts if isinstance(each, ast.Name)]
    function = loop.iter.func
    if names[1:] != [value.id] or not isinstance(function, ast.Attribute) or function.attr != "items":
        return ""
    uses = [each for each in walk(loop) if isinstance(each, ast.Name) and each.id == value.id]
    if any(each.lineno > value.lineno for each in uses):
        return ""  # who goes on with it means the name
    return f"{source.slice(function.value)}[{names[0]}]"
