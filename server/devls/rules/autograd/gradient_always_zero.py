"""gradient-always-zero: what lies behind `round` and its kin is never trained."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import GradientZero
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("gradient-always-zero", on=GradientZero, level="warning")
def gradient_always_zero(event: GradientZero) -> Iterator[Finding]:
    """Report at the operation."""
    notes = [Note(event.backward, "backward walks through it from here")]
    if event.leaf is not None:
        notes.append(Note(event.leaf, "this gets a gradient of zeros, always"))
    why = (
        f"`{event.operation}` adds what it has subtracted, so that its gradient is zero"
        if event.cancels
        else f"the gradient of `{event.operation}` is zero everywhere"
    )
    yield Finding(
        f"{why}, and there is no other way back: what it is computed from is not trained",
        event.site,
        Confidence.CERTAIN,
        fixes=_straight_through(event),
        notes=tuple(notes),
    )


def _straight_through(event: GradientZero) -> tuple[Fix, ...]:
    """`torch.round(x)` becomes `x + (torch.round(x) - x).detach()`."""
    call, source = event.call, event.site.source
    if event.cancels and isinstance(call, ast.BinOp):
        inner = source.slice(call.left)
        if isinstance(call.left, ast.BinOp) and isinstance(call.left.op, ast.Sub):
            edit = rewrite.replace(source, call.left, f"({inner.strip('()')}).detach()")
            return fixes(Fix("Detach the difference", edits(edit), Applicability.UNSAFE))
        return ()
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return ()
    receiver = call.func.value
    operand = call.args[0] if len(call.args) == 1 else receiver if not call.args else None
    if operand is None or isinstance(operand, ast.Starred) or call.keywords:
        return ()
    if any(isinstance(each, (ast.Call, ast.NamedExpr, ast.Await, ast.Yield)) for each in walk(operand)):
        return ()  # computed twice it may come out otherwise
    atom = isinstance(operand, (ast.Name, ast.Attribute, ast.Subscript))
    exact = source.slice(operand) if atom else f"({source.slice(operand)})"
    edit = rewrite.replace(source, call, f"{exact} + ({source.slice(call)} - {exact}).detach()")
    return fixes(Fix("Let the gradient pass straight through", edits(edit), Applicability.UNSAFE))
