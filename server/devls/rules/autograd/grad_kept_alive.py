"""grad-kept-alive: a value that outlives the iteration keeps its graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events import GraphKept
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("grad-kept-alive", on=GraphKept, level="warning")
def grad_kept_alive(event: GraphKept) -> Iterator[Finding]:
    """Report where the value is kept."""
    found: tuple[Fix, ...] = ()
    if isinstance(event.value, ast.expr):
        # A number is what most want of a loss; a tensor is what the rest of the program takes it for.
        found = fixes(
            *(
                Fix(
                    f"Keep `{event.value_text}{suffix}`",
                    edits(rewrite.append(event.site.source, event.value, suffix)),
                    Applicability.UNSAFE,
                )
                for suffix in ((".detach()", ".item()") if event.scalar else (".detach()",))
            )
        )
    elif event.mentions:
        source = event.site.source
        text = ", ".join(f"`{source.slice(each)}.detach()`" for each in event.mentions)
        cuts = edits(*(rewrite.append(source, each, ".detach()") for each in event.mentions))
        found = fixes(Fix(f"Keep {text}", cuts, Applicability.UNSAFE))
    how = "adds up" if event.accumulates else "keeps"
    made = event.tensor.origin
    yield Finding(
        f"`{event.container}` {how} `{event.value_text}` with its graph: the graph of every iteration stays in memory",
        event.site,
        Confidence.LIKELY,
        fixes=found,
        notes=(Note(made, f"`{event.value_text}` was computed here, and carries a graph"),)
        if made is not None
        else (),
    )
