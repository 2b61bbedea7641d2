"""integer-requires-grad: a tensor of whole numbers or of truth values is told to require grad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events_calls import CannotRequireGrad
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("integer-requires-grad", on=CannotRequireGrad, level="error")
def integer_requires_grad(event: CannotRequireGrad) -> Iterator[Finding]:
    """Report at the call."""
    found: tuple[Fix, ...] = ()
    source = event.site.source
    if event.call is not None and event.how == "requires_grad=True":
        given = next((each for each in event.call.keywords if each.arg == "dtype"), None)
        edit = (
            rewrite.add_argument(source, event.call, "dtype=torch.float32")
            if given is None
            else rewrite.replace(source, given.value, "torch.float32")
        )
        if source.slice(event.call.func).startswith("torch."):
            found = fixes(Fix("Make it of floating point numbers", edits(edit), Applicability.UNSAFE))
    how = f"`{event.how}`" if event.how.startswith("requires") else event.how
    yield Finding(
        f"{how} with numbers of `{event.dtype}`: torch raises"
        ' "Only Tensors of floating point and complex dtype can require gradients"',
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )
