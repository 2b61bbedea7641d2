"""eval-keeps-graph: an evaluation records a graph that nobody uses."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events import EvalKeepsGraph
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("eval-keeps-graph", on=EvalKeepsGraph, level="warning")
def eval_keeps_graph(event: EvalKeepsGraph) -> Iterator[Finding]:
    """Report at the call of the model."""
    found: tuple[Fix, ...] = ()
    if (
        isinstance(event.function, (ast.FunctionDef, ast.AsyncFunctionDef))
        and not event.function.decorator_list
    ):
        edit = rewrite.insert_before(event.site.source, event.function, "@torch.no_grad()")
        found = fixes(Fix("Decorate the function with `@torch.no_grad()`", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"`{event.model}` is in eval mode, and its result keeps a graph that nobody uses: evaluate under `torch.no_grad()`",
        event.site,
        Confidence.LIKELY,
        fixes=found,
    )
