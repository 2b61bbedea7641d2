"""parameter-rebound: a leaf is replaced by the result of its own update."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events import ParameterRebound
from devls.rules.rule import Confidence, Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("parameter-rebound", on=ParameterRebound, level="error")
def parameter_rebound(event: ParameterRebound) -> Iterator[Finding]:
    """Report at the assignment."""
    after = (
        "does not require grad any more"
        if event.under_no_grad
        else "is no leaf any more, so its `.grad` stays None"
    )
    yield Finding(
        f"this binds `{event.name}` to a new tensor, which {after}: update it in place under `torch.no_grad()`",
        event.site,
        Confidence.CERTAIN,
    )
