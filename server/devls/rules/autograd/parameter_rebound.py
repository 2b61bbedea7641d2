"""parameter-rebound: a leaf is replaced by the result of its own update."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import ParameterRebound
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("parameter-rebound", on=ParameterRebound, level="error")
def parameter_rebound(event: ParameterRebound) -> Iterator[Finding]:
    """Report at the assignment."""
    if event.attribute:
        yield Finding(
            f"`{event.name}` is a parameter, and no plain tensor can take its place:"
            f" torch raises \"cannot assign 'torch.FloatTensor' as parameter '{event.attribute}'\"",
            event.site,
            Confidence.CERTAIN,
            fixes=_in_place(event) or _written(event),
        )
        return
    if event.unread:
        yield Finding(
            f"this binds `{event.name}` to a new tensor that nothing reads, and the parameter stays as it was:"
            " update it in place under `torch.no_grad()`",
            event.site,
            Confidence.CERTAIN,
            fixes=_in_place(event),
        )
        return
    after = (
        "does not require grad any more"
        if event.under_no_grad
        else "is no leaf any more, so its `.grad` stays None"
    )
    yield Finding(
        f"this binds `{event.name}` to a new tensor, which {after}: update it in place under `torch.no_grad()`",
        event.site,
        Confidence.CERTAIN,
        fixes=_in_place(event),
        notes=(Note(event.missed, "its `.grad` is None here"),) if event.missed is not None else (),
    )


def _in_place(event: ParameterRebound) -> tuple[Fix, ...]:
    """`w = w - lr * w.grad` becomes `w -= lr * w.grad`, under no_grad."""
    value, statement, source = event.value, event.statement, event.site.source
    if (
        not isinstance(statement, ast.Assign)
        or statement.value is not value
        or not isinstance(value, ast.BinOp)
        or not isinstance(value.op, (ast.Add, ast.Sub))
        or source.slice(value.left) != event.name
    ):
        return ()
    sign = "+" if isinstance(value.op, ast.Add) else "-"
    text = f"{event.name} {sign}= {source.slice(value.right)}"
    if not event.under_no_grad:
        text = f"with torch.no_grad():\n    {text}"
        at = rewrite.insert_before(source, statement, text)
        gone = rewrite.delete_statement(source, statement)
        return fixes(
            Fix("Update it in place, under `torch.no_grad()`", edits(gone, at), Applicability.UNSAFE)
        )
    edit = rewrite.replace(source, statement, text)
    return fixes(Fix("Update it in place", edits(edit), Applicability.UNSAFE))


def _written(event: ParameterRebound) -> tuple[Fix, ...]:
    """`self.w = x` becomes `self.w.copy_(x)`, under no_grad; not where `x` has a graph, which that would cut."""
    statement, source = event.statement, event.site.source
    if (
        event.computed
        or not isinstance(statement, ast.Assign)
        or statement.value is not event.value
        or len(statement.targets) != 1
    ):
        return ()
    text = f"with torch.no_grad():\n    {event.name}.copy_({source.slice(statement.value)})"
    at, gone = rewrite.insert_before(source, statement, text), rewrite.delete_statement(source, statement)
    title = "Write the numbers into it, under `torch.no_grad()`"
    return fixes(Fix(title, edits(gone, at), Applicability.UNSAFE))
