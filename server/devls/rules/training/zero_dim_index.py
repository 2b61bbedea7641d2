"""zero-dim-index: a tensor without dimensions has no items, and torch raises."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import NumberIndexed
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import parents
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("zero-dim-index", on=NumberIndexed, level="error")
def zero_dim_index(event: NumberIndexed) -> Iterator[Finding]:
    """Report at the index, which `.item()` replaces."""
    node, cut = event.site.node, False
    owner = event.indexed
    if isinstance(owner, ast.Attribute) and owner.attr == "data":
        owner, cut = owner.value, True
    elif (
        isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute) and owner.func.attr == "detach"
    ):
        owner, cut = owner.func.value, True
    found: tuple[Fix, ...] = ()
    around = parents(event.site.source).get(node)
    if isinstance(node, ast.expr) and isinstance(around, ast.Attribute) and around.value is node:
        # The method that follows, as in `loss[0].item()`, is one of tensors: a number would not have it.
        text = repairs.as_receiver(event.site.source, event.indexed)
        safe = Applicability.UNSAFE if event.presumed else Applicability.SAFE
        left = edits(rewrite.replace(event.site.source, node, text))
        found = fixes(Fix(f"Use `{text}` without an index", left, safe))
    elif isinstance(node, ast.expr):
        text = f"{repairs.as_receiver(event.site.source, owner)}.item()"
        safe = Applicability.SAFE if cut and not event.presumed else Applicability.UNSAFE
        found = fixes(Fix(f"Use `{text}`", edits(rewrite.replace(event.site.source, node, text)), safe))
    text = " ".join(event.text.split())
    yield Finding(
        f"`{text}` has no dimensions, so torch raises at an index: `.item()` gives the number",
        event.site,
        Confidence.LIKELY if event.presumed else Confidence.CERTAIN,
        fixes=found,
    )
