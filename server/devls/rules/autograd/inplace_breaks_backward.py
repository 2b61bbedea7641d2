"""inplace-breaks-backward: what backward saved was overwritten."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import SavedOverwritten
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, fixes, rule
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source


@rule("inplace-breaks-backward", on=SavedOverwritten, level="error")
def inplace_breaks_backward(event: SavedOverwritten) -> Iterator[Finding]:
    """Report at the backward that needs it; at the write, where backward is called somewhere else."""
    operation = event.node.operation.removesuffix(".forward").rpartition(".")[2].strip("_")
    what = "its result" if event.saved.what.startswith("result") else f"its `{event.saved.what}`"
    how = "`step()` has updated" if event.by_step else "an in-place operation has changed"
    saved = Note(event.node.site, f"`{operation}` saved {what} here")
    if event.ahead is None:
        yield Finding(
            f"backward needs what `{operation}` saved ({what}), and {how} it since: torch raises"
            ' "modified by an inplace operation"',
            event.site,
            Confidence.CERTAIN,
            fixes=_fix(event),
            notes=(saved, Note(event.written_at, "it was changed here")),
        )
        return
    yield Finding(
        f"this changes in place what `{operation}` saved ({what}): a backward through the result raises"
        ' "modified by an inplace operation"',
        event.site,
        Confidence.LIKELY,
        fixes=_fix(event),
        notes=(saved, Note(event.ahead, "the result is returned here")),
    )


def _fix(event: SavedOverwritten) -> tuple[Fix, ...]:
    """Write to a new tensor instead, in whichever file the write stands."""
    written = event.written_at
    if event.by_step:
        if written.calls != event.site.calls or written.source is not event.site.source:
            return ()
        step = repairs.statement_of(written.source, written.node)
        moved = repairs.moved_behind(written.source, step, event.statement)
        return fixes(Fix("Step after this backward", moved, Applicability.UNSAFE))
    statement = repairs.statement_of(written.source, written.node)
    if _for_the_caller(written.source, statement):
        return ()
    found = repairs.out_of_place(written.source, statement) or repairs.to_a_copy(written.source, statement)
    return repairs.elsewhere(found, written.source)


def _for_the_caller(source: Source, statement: ast.stmt | None) -> bool:
    """Whether a function writes to what it was given and returns nothing: whoever called it waits for the change."""
    if statement is None:
        return False
    function = next(
        (each for each in ancestors(source, statement) if isinstance(each, ast.FunctionDef)), None
    )
    if function is None or any(
        isinstance(each, ast.Return) and each.value is not None for each in walk(function)
    ):
        return False
    target: ast.AST = statement
    while isinstance(target, (ast.Expr, ast.AugAssign, ast.Call, ast.Attribute)):
        target = (
            target.target
            if isinstance(target, ast.AugAssign)
            else target.func
            if isinstance(target, ast.Call)
            else target.value
        )
    given = {
        each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    }
    return isinstance(target, ast.Name) and target.id in given - {"self"}
