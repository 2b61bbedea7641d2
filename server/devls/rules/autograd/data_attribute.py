"""data-attribute: what backward needs is changed through `.data`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import DataWritten
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, block_of
from devls.syntax.nodes import asked_of_file, walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source


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
        fixes=_of_parameter(event)
        if event.of_parameter
        else repairs.out_of_place(event.site.source, event.statement, of_data=True),
        notes=(
            Note(event.needed, "they were kept for backward here"),
            Note(event.backward, "and are used here"),
        ),
    )


def _of_parameter(event: DataWritten) -> tuple[Fix, ...]:
    """The write, with the loop over parameters around it, behind the step that its gradients are for.

    No result can take a parameter's place, and without `.data` the backward would raise.
    """
    source, walked = event.backward.source, repairs.statement_of(event.backward.source, event.backward.node)
    block = block_of(source, walked) if walked is not None else None
    if block is None or walked is None or event.statement is None or event.site.source is not source:
        return ()
    around = (event.statement, *ancestors(source, event.statement))
    moved = next((each for each in around if isinstance(each, ast.stmt) and each in block), None)
    if moved is None or block.index(moved) > block.index(walked):
        return ()
    if any(isinstance(each, _DEFINING) for each in around[: around.index(moved) + 1]):
        return ()  # a function that is called in between
    behind = block[block.index(walked) :]
    anchor = next(filter(_is_step, behind), walked)
    removed = rewrite.delete_statement(source, moved)
    put = rewrite.insert_after(source, anchor, repairs.unindented(source, moved))
    if removed is None or put is None:
        return ()
    title = "Write it after the step" if anchor is not walked else "Write it after the backward"
    return (Fix(title, (removed, put), Applicability.UNSAFE),)


_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _is_step(statement: ast.stmt) -> bool:
    """Whether an optimizer steps: `optimizer.step()`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "step"


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
