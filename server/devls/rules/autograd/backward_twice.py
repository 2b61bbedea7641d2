"""backward-twice: a graph that was freed is walked again."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events import BackwardAgain
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("backward-twice", on=BackwardAgain, level="error")
def backward_twice(event: BackwardAgain) -> Iterator[Finding]:
    """Report at the second walk."""
    if event.carried and event.carried_name:
        return
    found: tuple[Fix, ...] = ()
    first = event.first_call
    if isinstance(first, ast.Call) and event.freed_at.source is event.site.source and first is not event.call:
        edit = rewrite.add_argument(event.site.source, first, "retain_graph=True")
        found = fixes(
            Fix("Keep the graph in the first call: `retain_graph=True`", edits(edit), Applicability.UNSAFE)
        )
    elif first is event.call and event.before_loop and isinstance(first, ast.Call) and not _steps(event):
        edit = rewrite.add_argument(event.site.source, first, "retain_graph=True")
        found = fixes(Fix("Keep the graph: `retain_graph=True`", edits(edit), Applicability.UNSAFE))
    operation = event.freed.operation.rpartition(".")[2].strip("_")
    yield Finding(
        f"`{event.root_text}` is computed from a graph that an earlier backward has freed: torch raises"
        ' "Trying to backward through the graph a second time"',
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(
            Note(event.freed_at, "the graph was freed here"),
            Note(
                event.freed.site, f"`{operation}` saved tensors for backward here, and both walks need them"
            ),
        ),
    )


def _steps(event: BackwardAgain) -> bool:
    """Whether the loop around changes the weights between one walk and the next, so that keeping the graph is no help."""
    return event.loop is None or any(
        isinstance(each, ast.Attribute) and each.attr == "step" for each in walk(event.loop)
    )
