"""inplace-on-leaf: a leaf that requires grad is modified in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import LeafWritten
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("inplace-on-leaf", on=LeafWritten, level="error")
def inplace_on_leaf(event: LeafWritten) -> Iterator[Finding]:
    """Report at the write."""
    found: tuple[Fix, ...] = ()
    if event.statement is not None:
        edit = rewrite.wrap_statement(event.site.source, event.statement, "with torch.no_grad():")
        found = fixes(Fix("Do it under `torch.no_grad()`", edits(edit), Applicability.UNSAFE))
    what = f"`{event.text}` is a view of a leaf" if event.is_view else f"`{event.text}` is a leaf"
    why = event.tensor.grad_step
    yield Finding(
        f'{what} that requires grad, and is modified in place: torch raises "a'
        f' {"view of a " if event.is_view else ""}leaf Variable that requires grad is being used in an in-place operation"',
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(why.site, why.what),) if why is not None else (),
    )
