"""integer-requires-grad: a tensor of whole numbers or of truth values is told to require grad."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import CannotRequireGrad
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.text.edits import Edit


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
    found = found or _as_float(event)
    how = f"`{event.how}`" if event.how.startswith("requires") else event.how
    yield Finding(
        f"{how} with numbers of `{event.dtype}`: torch raises"
        ' "Only Tensors of floating point and complex dtype can require gradients"',
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )


def _as_float(event: CannotRequireGrad) -> tuple[Fix, ...]:
    """`nn.Parameter(x)` becomes `nn.Parameter(x.float())`, and `x.requires_grad_()` `x.float().requires_grad_()`."""
    call, source = event.call, event.site.source
    if call is None:
        return ()
    given: ast.expr | None = None
    edit: Edit | None = None
    if event.how.endswith("Parameter") and call.args and not isinstance(call.args[0], ast.Starred):
        given = call.args[0]
        edit = rewrite.append(source, given, ".float()")
    elif isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
        given = call.func.value
        alone = isinstance(event.statement, ast.Expr) and event.statement.value is call
        if alone and isinstance(given, (ast.Name, ast.Attribute)):
            text = source.slice(given)
            rest = source.text[source.range(given).end : source.range(call).end]
            edit = rewrite.replace(source, event.statement or call, f"{text} = {text}.float(){rest}")
        elif not alone:
            edit = rewrite.append(source, given, ".float()")
    if given is None:
        return ()
    title = f"Use `{' '.join(source.slice(given).split())}.float()`"
    return fixes(Fix(title, edits(edit), Applicability.UNSAFE))
