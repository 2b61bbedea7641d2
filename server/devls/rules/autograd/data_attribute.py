"""data-attribute: what backward needs is changed through `.data`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import DataWritten
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, rule
from devls.syntax.layout import ancestors
from devls.syntax.nodes import asked_of_file, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source
    from devls.text.edits import Fix


@rule("data-attribute", on=DataWritten, level="warning")
def data_attribute(event: DataWritten) -> Iterator[Finding]:
    """Report at the write."""
    if event.of_result:
        yield Finding(
            "this changes a result through `.data`, which autograd does not notice: gradients are computed as if nothing had changed",
            event.site,
            Confidence.LIKELY,
            fixes=_in_the_graph(event),
            notes=(
                Note(event.needed, "it was computed here"),
                Note(event.backward, "backward goes through it here"),
            ),
        )
        return
    yield Finding(
        "this changes numbers that backward needs through `.data`, which autograd does not notice: the gradients are wrong",
        event.site,
        Confidence.CERTAIN,
        fixes=()
        if _is_in_module(event)
        else repairs.out_of_place(event.site.source, event.statement, of_data=True),
        notes=(
            Note(event.needed, "they were kept for backward here"),
            Note(event.backward, "and are used here"),
        ),
    )


def _is_in_module(event: DataWritten) -> bool:
    """Whether a parameter is written that an object keeps: torch lets no result take its place."""
    target: ast.AST | None = event.statement
    while isinstance(target, (ast.AugAssign, ast.Expr, ast.Call)):
        target = (
            target.target
            if isinstance(target, ast.AugAssign)
            else target.func
            if isinstance(target, ast.Call)
            else target.value
        )
    names = [each for each in walk(target) if isinstance(each, ast.Attribute)] if target is not None else []
    return event.of_parameter and any(not each.attr.endswith("_") and each.attr != "data" for each in names)


def _in_the_graph(event: DataWritten) -> tuple[Fix, ...]:
    """`g.data.mul_(m)` becomes `g = g.mul(m)`, where the function goes on with `g`: nobody else has the new one."""
    source, statement = event.site.source, event.statement
    found = repairs.out_of_place(source, statement, of_data=True)
    if not found or statement is None:
        return ()
    name = found[0].edits[0].text.partition(" = ")[0]
    return found if _is_used_behind(source, statement, name) else ()


@asked_of_file(maxsize=8)
def _is_used_behind(source: Source, statement: ast.stmt, name: str) -> bool:
    """Whether the function around a statement, or its file, speaks of something again."""
    holder = next((each for each in ancestors(source, statement) if isinstance(each, ast.FunctionDef)), None)
    after = source.range(statement).end
    return any(
        isinstance(each, (ast.Name, ast.Attribute))
        and source.range(each).start >= after
        and source.slice(each) == name
        for top in ([holder] if holder is not None else source.statements)
        for each in walk(top)
    )
