"""inplace-on-view: a view that torch does not let be modified in place is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events_more import ForbiddenViewWritten
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Edit, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROBLEMS = {
    "several": "`{text}` is one of several views that one operation has made, and is modified in place: torch raises",
    "no_grad": "`{text}` is a view made without a graph, and is modified in place with gradients on: torch raises",
    "expanded": "several elements of `{text}` are one in memory, and it is modified in place: torch raises",
}

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip


@rule("inplace-on-view", on=ForbiddenViewWritten, level="error")
def inplace_on_view(event: ForbiddenViewWritten) -> Iterator[Finding]:
    """Report at the write."""
    yield Finding(
        _PROBLEMS[event.why].format(text=event.text),
        event.site,
        Confidence.CERTAIN,
        fixes=_copied(event) if event.why == "expanded" else _out_of_place(event),
        notes=(Note(event.made, "the view is made here"),) if event.made is not None else (),
    )


def _copied(event: ForbiddenViewWritten) -> tuple[Fix, ...]:
    if event.creation is None:
        return ()
    edit = rewrite.append(event.site.source, event.creation, ".clone()")
    return fixes(Fix("Make a copy of the expanded tensor", edits(edit), Applicability.SAFE))


def _out_of_place(event: ForbiddenViewWritten) -> tuple[Fix, ...]:
    """`x += y` becomes `x = x + y`, and `x.add_(y)` becomes `x = x.add(y)`."""
    statement, source = event.statement, event.site.source
    text = ""
    if (
        isinstance(statement, ast.AugAssign)
        and isinstance(statement.target, ast.Name)
        and type(statement.op) in _OPERATORS
    ):
        name = statement.target.id
        atom = isinstance(statement.value, (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript))
        value = source.slice(statement.value) if atom else f"({source.slice(statement.value)})"
        text = f"{name} = {name} {_OPERATORS[type(statement.op)]} {value}"
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if (
            isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and function.attr.endswith("_")
        ):
            rest = source.text[source.range(function).end : source.range(statement.value).end]
            text = f"{function.value.id} = {function.value.id}.{function.attr[:-1]}{rest}"
    if not text or statement is None:
        return ()
    return (Fix("Do it out of place", (Edit(source.range(statement), text),), Applicability.UNSAFE),)
