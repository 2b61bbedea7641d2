"""inplace-breaks-backward: what backward saved was overwritten."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import SavedOverwritten
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, block_of
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
        return _after_the_step(event)
    statement = repairs.statement_of(written.source, written.node)
    if _for_the_caller(written.source, statement):
        return ()
    found = (
        repairs.out_of_place(written.source, statement)
        or _copy_read(event, statement)
        or repairs.to_a_copy(written.source, statement)
    )
    return repairs.elsewhere(found, written.source)


def _copy_read(event: SavedOverwritten, statement: ast.stmt | None) -> tuple[Fix, ...]:
    """`gate * states[t].clone()` in a statement that writes to `states` itself: a copy made before it would be written to."""
    source, node = event.written_at.source, event.node.site.node
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Subscript) or not isinstance(node, (ast.BinOp, ast.Call)):
        return ()
    if event.node.site.source is not source or repairs.statement_of(source, node) is not statement:
        return ()
    inner = [node.left, node.right] if isinstance(node, ast.BinOp) else [*node.args]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner.append(node.func.value)
    base = source.slice(target.value)
    read = [each for each in inner if isinstance(each, ast.Subscript) and source.slice(each.value) == base]
    if not read:
        return ()
    cuts = edits(*(rewrite.append(source, each, ".clone()") for each in read))
    return fixes(Fix(f"Read a copy: `{source.slice(read[0])}.clone()`", cuts, Applicability.UNSAFE))


def _after_the_step(event: SavedOverwritten) -> tuple[Fix, ...]:
    """What backward walks is computed behind the step, of the new weights; the step stays where its own gradients are.

    The statements are moved, or stand there once more where what they compute is used before the step as well.
    """
    (step, at), (made, _) = (
        repairs.where_they_part(each, event.site) for each in (event.written_at, event.node.site)
    )
    source = at.source
    statements = [repairs.statement_of(source, each.node) for each in (made, step, at)]
    block = block_of(source, statements[2]) if statements[2] is not None else None
    if block is None or made.source is not source or step.source is not source:
        return ()
    if not all(each in block for each in statements):
        return ()
    first, stepped, last = (block.index(each) for each in statements if each is not None)
    if not first < stepped < last:
        return ()
    callee = source.slice(made.node.func) if isinstance(made.node, ast.Call) else ""
    again = _computed_for(source, block, (first, stepped, last), callee)
    if again is None:
        return ()
    used = _used_before(block[: stepped + 1], again)
    code = "\n".join(repairs.unindented(source, each) for each in again)
    put = rewrite.insert_after(source, block[stepped], code)
    gone = [rewrite.delete_statement(source, each) for each in again if each not in used]
    bound = ", ".join(
        f"`{each}`" for each in dict.fromkeys(x for one in again for x in sorted(repairs.bound_by(one)))
    )
    how = "again " if used else ""
    return fixes(Fix(f"Compute {bound} {how}after the step", edits(put, *gone), Applicability.UNSAFE))


def _computed_for(
    source: Source, block: list[ast.stmt], places: tuple[int, int, int], callee: str
) -> list[ast.stmt] | None:
    """The statements before a step that the last of the places needs, of what was read before it; None if they cannot stand behind it."""
    first, stepped, last = places
    needed, wanted = list[int](), repairs.read_by(block[last])
    for index in range(last - 1, -1, -1):
        if repairs.bound_by(block[index]) & wanted:
            needed.append(index)
            wanted |= repairs.read_by(block[index])
    again, fresh = list[ast.stmt](), set[str]()
    for index in sorted(each for each in needed if each < stepped):
        each = block[index]
        calls = (one for one in walk(each) if isinstance(one, ast.Call))
        same = (
            callee and isinstance(each, ast.Assign) and any(source.slice(one.func) == callee for one in calls)
        )
        if index == first or same or repairs.read_by(each) & fresh:
            later = (repairs.bound_by(other) for other in block[index + 1 : stepped])
            if not isinstance(each, ast.Assign) or any(other & repairs.read_by(each) for other in later):
                return None
            again.append(each)
            fresh |= repairs.bound_by(each)
    return again if block[first] in again else None


def _used_before(block: list[ast.stmt], again: list[ast.stmt]) -> list[ast.stmt]:
    """Of statements that have to be behind a step, those whose results are used before it."""
    used = list[ast.stmt]()
    for each in reversed(again):
        behind = block[block.index(each) + 1 :]
        if any(
            repairs.bound_by(each) & repairs.read_by(other)
            for other in behind
            if other not in again or other in used
        ):
            used.append(each)
    return used


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
