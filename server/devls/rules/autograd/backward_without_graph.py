"""backward-without-graph: backward of something that needs no grad."""

from __future__ import annotations

import ast
from pathlib import PurePath
from typing import TYPE_CHECKING

from devls.engine.core.events.events import BackwardWithoutGraph
from devls.rules import repairs
from devls.rules.mending import mended
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, block_of
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.values.history import Step


@rule("backward-without-graph", on=BackwardWithoutGraph, level="error")
def backward_without_graph(event: BackwardWithoutGraph) -> Iterator[Finding]:
    """Report at the backward, and say what cut the graph."""
    cut = event.cut
    why = f", because {_because(event)}" if cut is not None and cut.kind == "cut" else ""
    if event.is_number:
        yield Finding(
            f"`{event.root_text}` is a Python number, which has no `backward`: Python raises AttributeError",
            event.site,
            Confidence.CERTAIN,
            fixes=mended(cut, event.site.source),
            notes=(Note(cut.site, cut.what),) if cut is not None else (),
        )
        return
    if event.came_before:
        yield Finding(
            f"the gradient of `{event.root_text}` is asked for, but `{event.came_before}` was computed before it was made: torch raises"
            ' "appears to not have been used in the graph"',
            event.site,
            Confidence.CERTAIN,
        )
        return
    if event.is_input:
        yield Finding(
            f"the gradient of `{event.root_text}` is asked for, but it does not require grad{why}: torch raises"
            ' "One of the differentiated Tensors does not require grad"',
            event.site,
            Confidence.CERTAIN,
            fixes=_asked_for(event) or mended(cut, event.site.source) or _asked_for_where_made(event),
            notes=(Note(cut.site, cut.what),) if cut is not None else (),
        )
        return
    yield Finding(
        f'`{event.root_text}` does not require grad{why}: torch raises "element 0 of tensors does not require grad"',
        event.site,
        Confidence.LIKELY if event.presumed else Confidence.CERTAIN,
        fixes=mended(cut, event.site.source) or _made_behind(cut),
        notes=(Note(cut.site, cut.what),) if cut is not None else (),
    )


def _asked_for(event: BackwardWithoutGraph) -> tuple[Fix, ...]:
    """`x.requires_grad_()` behind the statement that has bound `x` in the block of the call."""
    source, block = event.site.source, None
    if event.statement is not None:
        block = block_of(source, event.statement)
    if block is None or event.statement not in block or not event.root_text.isidentifier():
        return ()
    bound = [
        each
        for each in block[: block.index(event.statement)]
        if isinstance(each, ast.Assign)
        and any(source.slice(target) == event.root_text for target in each.targets)
    ]
    if not bound:
        return ()
    asked = f"{event.root_text}.requires_grad_()"
    edit = rewrite.insert_after(source, bound[-1], asked)
    return fixes(Fix(f"Ask for its gradient: `{asked}`", edits(edit), Applicability.UNSAFE))


def _made_behind(cut: Step | None) -> tuple[Fix, ...]:
    """The part that is made for a model right before a loop freezes all of the model, behind the loop."""
    if cut is None or cut.kind != "cut":
        return ()
    source = cut.site.source
    loop = next((each for each in ancestors(source, cut.site.node) if isinstance(each, ast.For)), None)
    called = loop.iter.func if loop is not None and isinstance(loop.iter, ast.Call) else None
    block = block_of(source, loop) if loop is not None else None
    if loop is None or block is None or not isinstance(called, ast.Attribute):
        return ()
    before = block[block.index(loop) - 1] if block.index(loop) else None
    if not isinstance(before, ast.Assign) or not isinstance(before.value, ast.Call):
        return ()
    part, model = source.slice(before.targets[0]), source.slice(called.value)
    if not part.startswith((f"{model}.", f"{model}[")):
        return ()
    moved = repairs.moved_behind(source, before, loop)
    fix = Fix(f"Make `{part}` after the rest is frozen", moved, Applicability.UNSAFE)
    return repairs.elsewhere(fixes(fix), source)


def _asked_for_where_made(event: BackwardWithoutGraph) -> tuple[Fix, ...]:
    """`x.requires_grad_()` behind the statement that has computed and bound it, as in the function that hands it on."""
    made = event.made
    statement = repairs.statement_of(made.source, made.node) if made is not None else None
    if made is None or not isinstance(statement, ast.Assign) or statement.value is not made.node:
        return ()
    name = made.source.slice(statement.targets[0])
    if len(statement.targets) != 1 or not name.isidentifier():
        return ()
    asked = f"{name}.requires_grad_()"
    edit = rewrite.insert_after(made.source, statement, asked)
    fix = Fix(f"Ask for its gradient: `{asked}`", edits(edit), Applicability.UNSAFE)
    return repairs.elsewhere(fixes(fix), made.source)


def _because(event: BackwardWithoutGraph) -> str:
    """Cut of the graph, with its line or file if that is another one."""
    cut = event.cut
    if cut is None:
        return ""
    if cut.site.source is event.site.source:
        if cut.site.key[1] == event.site.key[1]:
            return cut.what
        place = cut.site.line
    else:
        place = PurePath(cut.site.source.path).name
    there = f"is off in {place},"
    return cut.what.replace("is off here,", there) if "is off here," in cut.what else f"{cut.what} ({place})"
