"""copy-of-graph-tensor: `torch.tensor` is given a tensor that is in a graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import GraphCopiedAsNumbers
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("copy-of-graph-tensor", on=GraphCopiedAsNumbers, level="warning")
def copy_of_graph_tensor(event: GraphCopiedAsNumbers) -> Iterator[Finding]:
    """Report at the call."""
    found: tuple[Fix, ...] = ()
    if event.listed:
        text = f"torch.stack({event.text})"
        if event.site.source.slice(event.call.func).startswith("torch."):
            whole = f"torch.stack({event.site.source.slice(event.argument)})"
            edit = rewrite.replace(event.site.source, event.call, whole)
            found = fixes(Fix(f"Stay in the graph with `{text}`", edits(edit), Applicability.UNSAFE))
        yield Finding(
            f"`{event.how}({event.text})` copies the numbers of tensors, not their graph; torch warns. `torch.stack` keeps the graph",
            event.site,
            Confidence.LIKELY,
            fixes=found,
        )
        return
    if len(event.call.args) == 1 and not event.call.keywords:
        source = event.site.source
        inner = source.slice(event.argument)
        atom = isinstance(event.argument, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        text = (inner if atom else f"({inner})") + ".detach().clone()"
        edit = rewrite.replace(source, event.call, text)
        found = fixes(Fix(f"Copy it with `{text}`", edits(edit), Applicability.SAFE))
    yield Finding(
        f"`{event.how}({event.text})` copies the numbers, not the graph of `{event.text}`; torch warns. Say what is meant:"
        " `.detach().clone()` or `.clone()`",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )
