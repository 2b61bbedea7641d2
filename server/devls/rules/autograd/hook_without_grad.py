"""hook-without-grad: a hook, or a retained gradient, is asked of a tensor that does not require grad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.calls import GradAskedOfConstant
from devls.rules.mending import mended
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


_SAYS = {
    "register_hook": "cannot register a hook on a tensor that doesn't require gradient",
    "retain_grad": "can't retain_grad on Tensor that has requires_grad=False",
}


@rule("hook-without-grad", on=GradAskedOfConstant, level="error")
def hook_without_grad(event: GradAskedOfConstant) -> Iterator[Finding]:
    """Report at the call."""
    yield Finding(
        f"`{event.text}` does not require grad, so no gradient will ever reach it: torch raises"
        f' "{_SAYS[event.method]}"',
        event.site,
        Confidence.CERTAIN,
        fixes=_required(event),
        notes=(Note(event.cut.site, event.cut.what),) if event.cut is not None else (),
    )


def _required(event: GradAskedOfConstant) -> tuple[Fix, ...]:
    """`x.requires_grad_()` before, or what cut the graph undone."""
    name, statement = event.text, event.statement
    found: tuple[Fix, ...] = ()
    if name.isidentifier() and statement is not None:
        edit = rewrite.insert_before(event.site.source, statement, f"{name}.requires_grad_()")
        found = fixes(Fix(f"Let `{name}` require grad", edits(edit), Applicability.UNSAFE))
    return (*mended(event.cut, event.site.source), *found)
