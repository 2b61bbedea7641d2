"""inplace-on-view: a view that torch does not let be modified in place is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import ForbiddenViewWritten
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROBLEMS = {
    "several": "`{text}` is one of several views that one operation made, and torch raises if one of those is modified in place: use a new tensor",
    "no_grad": "`{text}` is a view made under `no_grad`, and is modified in place where gradients are recorded: torch raises",
    "expanded": "`{text}` is modified in place, but several of its elements share one place in memory: torch raises. `.clone()` it first",
}

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip


@rule("inplace-on-view", on=ForbiddenViewWritten, level="error")
def inplace_on_view(event: ForbiddenViewWritten) -> Iterator[Finding]:
    """Report at the write."""
    yield Finding(
        _PROBLEMS[event.why].format(text=event.text),
        event.site,
        Confidence.CERTAIN,
        fixes=_copied(event)
        if event.why == "expanded"
        else repairs.out_of_place(event.site.source, event.statement)
        or repairs.without_underscore(event.site.source, event.site.node),
        notes=(Note(event.made, "the view is made here"),) if event.made is not None else (),
    )


def _copied(event: ForbiddenViewWritten) -> tuple[Fix, ...]:
    if event.creation is None:
        return ()
    edit = rewrite.append(event.site.source, event.creation, ".clone()")
    return fixes(Fix("Make a copy of the expanded tensor", edits(edit), Applicability.SAFE))
