"""hook-without-grad: a hook, or a retained gradient, is asked of a tensor that does not require grad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events_calls import GradAskedOfConstant
from devls.rules.rule import Confidence, Finding, Note, rule

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
        notes=(Note(event.cut.site, event.cut.what),) if event.cut is not None else (),
    )
