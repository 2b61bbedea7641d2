"""parameter-lost-by-transfer: a moved Parameter is a plain tensor."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import ParameterLost
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import parents
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source


@rule("parameter-lost-by-transfer", on=ParameterLost, level="error")
def parameter_lost_by_transfer(event: ParameterLost) -> Iterator[Finding]:
    """Report at the assignment of the attribute."""
    yield Finding(
        f"`{event.how}` returns a plain tensor, not a Parameter: `self.{event.attribute}` is not registered, and no optimizer"
        " will see it",
        event.site,
        Confidence.CERTAIN,
        fixes=_inside(event),
        notes=()
        if event.moved is None or event.moved.node in (event.site.node, _assigned(event))
        else (Note(event.moved, "here it was moved or cast"),),
    )


def _assigned(event: ParameterLost) -> ast.AST | None:
    """Value of the attribute, if it is written beside it."""
    statement = parents(event.site.source).get(event.site.node)
    return statement.value if isinstance(statement, ast.Assign) else None


def _inside(event: ParameterLost) -> tuple[Fix, ...]:
    """`nn.Parameter(x).to(d)` becomes `nn.Parameter(x.to(d))`."""
    source = event.site.source
    statement = parents(source).get(event.site.node)
    move: ast.AST | None = None
    if isinstance(statement, ast.Assign) and statement.targets == [event.site.node]:
        move = statement.value
    for each in (
        move,
        event.moved.node if event.moved is not None and event.moved.source is source else None,
    ):
        found = _data_first(source, each)
        if found:
            return found
    return ()


def _data_first(source: Source, move: ast.AST | None) -> tuple[Fix, ...]:
    made = move.func.value if isinstance(move, ast.Call) and isinstance(move.func, ast.Attribute) else None
    if isinstance(move, ast.BinOp):
        made = move.left
    if (
        move is None
        or not isinstance(made, ast.Call)
        or not made.args
        or not isinstance(made.func, (ast.Name, ast.Attribute))
    ):
        return ()
    suffix = source.text[source.range(made).end : source.range(move).end]
    data = source.slice(made.args[0])
    atom = isinstance(made.args[0], (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    inner = data if atom else f"({data})"
    rest = "".join(f", {source.slice(each)}" for each in (*made.args[1:], *made.keywords))
    edit = rewrite.replace(source, move, f"{source.slice(made.func)}({inner}{suffix}{rest})")
    return fixes(Fix("Make the Parameter last", edits(edit), Applicability.UNSAFE))
