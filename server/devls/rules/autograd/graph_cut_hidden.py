"""graph-cut-hidden: a result without a graph is made to require grad."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events import GraphCutHidden
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("graph-cut-hidden", on=GraphCutHidden, level="warning")
def graph_cut_hidden(event: GraphCutHidden) -> Iterator[Finding]:
    """Report where the cut is hidden."""
    yield Finding(
        f"`{event.how}` makes backward run, but nothing behind `{event.text}` gets a gradient: the graph was cut before",
        event.site,
        Confidence.CERTAIN,
        fixes=_unwrap(event),
        notes=(Note(event.cut.site, event.cut.what),) if event.cut is not None else (),
    )


def _unwrap(event: GraphCutHidden) -> tuple[Fix, ...]:
    """`nn.Parameter(w)` of what was computed becomes `w`."""
    call, source = event.site.node, event.site.source
    if (
        not event.how.startswith("Parameter")
        or not isinstance(call, ast.Call)
        or len(call.args) != 1
        or call.keywords
    ):
        return ()
    text = source.slice(call.args[0])
    edit = rewrite.replace(source, call, text)
    return fixes(Fix(f"Use `{text}` itself", edits(edit), Applicability.UNSAFE))
