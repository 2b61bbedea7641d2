"""optimizer-before-move: an optimizer steps with a state that is on another device than its parameters."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import Cause, DevicesMixed
from devls.rules import repairs
from devls.rules.device import wording
from devls.rules.rule import Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import block_of
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source
    from devls.values.history import Site


@rule("optimizer-before-move", on=DevicesMixed, level="error")
def optimizer_before_move(event: DevicesMixed) -> Iterator[Finding]:
    """Report at the step."""
    if event.cause is not Cause.STATE or event.stray.step is None:
        return
    state, moved = event.stray.step, event.anchor.step
    source = event.site.source
    found: tuple[Fix, ...] = ()
    if moved is not None and state.site.source is source and moved.site.source is source:
        built, move = (
            repairs.statement_of(source, state.site.node),
            repairs.statement_of(source, moved.site.node),
        )
        changes = repairs.moved_before(source, move, built)
        first = fixes(Fix("Move the model first", changes, Applicability.UNSAFE))
        found = (*_built_again(source, built, move), *first)
        if not found:
            later = repairs.moved_behind(source, built, move)
            found = fixes(Fix("Build the optimizer behind the move", later, Applicability.UNSAFE))
    if moved is not None and not found:
        along = _state_taken_along(event, moved.site)
        found = (*along, *_moved_for(source, state.site.node, moved.site.node))
    where = wording.place(event.anchor, event.comparison.right)
    yield Finding(
        f"{event.stray.text} is {wording.place(event.stray, event.comparison.left)}, but its parameters are {where}:"
        f" {wording.consequence(event)}",
        event.site,
        wording.confidence(event),
        fixes=found,
        notes=(Note(state.site, state.what), *wording.notes(event.anchor)),
    )


def _built_again(source: Source, built: ast.stmt | None, move: ast.stmt | None) -> tuple[Fix, ...]:
    """The optimizer made anew behind the move, where it has been used on the CPU before."""
    block = block_of(source, built) if built is not None else None
    if (
        not isinstance(built, ast.Assign)
        or not isinstance(built.targets[0], ast.Name)
        or block is None
        or move not in block
        or move is None
    ):
        return ()
    name = built.targets[0].id
    between = block[block.index(built) + 1 : block.index(move)]
    if not any(isinstance(each, ast.Name) and each.id == name for part in between for each in walk(part)):
        return ()
    edit = rewrite.insert_after(source, move, source.slice(built))
    return fixes(Fix(f"Make `{name}` anew after the move", edits(edit), Applicability.UNSAFE))


def _state_taken_along(event: DevicesMixed, moved: Site) -> tuple[Fix, ...]:
    """`optimizer.load_state_dict(optimizer.state_dict())` behind the move: what is loaded goes to the parameters' device."""
    text, source = event.stray.text.removeprefix("the state of `").removesuffix("`"), event.site.source
    if moved.source is not source or not text.replace(".", "").isidentifier():
        return ()
    if not text.startswith("self.") and moved.calls != event.site.calls:
        return ()  # it may have another name there
    move = repairs.statement_of(source, moved.node)
    edit = (
        rewrite.insert_after(source, move, f"{text}.load_state_dict({text}.state_dict())") if move else None
    )
    return fixes(Fix(f"Load the state of `{text}` again behind the move", edits(edit), Applicability.UNSAFE))


def _moved_for(source: Source, built: ast.AST, move: ast.AST) -> tuple[Fix, ...]:
    """`SGD(model.to(device).parameters())`, where what names the device means the same in both places."""
    if not isinstance(move, ast.Call) or not isinstance(move.func, ast.Attribute) or move.keywords:
        return ()
    given = built.args[0] if isinstance(built, ast.Call) and built.args else None
    function = given.func if isinstance(given, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr != "parameters":
        return ()
    model = source.slice(function.value)
    same = [source.slice(each).startswith("self.") or isinstance(each, ast.Constant) for each in move.args]
    if model != source.slice(move.func.value) or not model.startswith("self.") or not all(same):
        return ()
    text = f".{move.func.attr}({', '.join(source.slice(each) for each in move.args)})"
    edit = rewrite.append(source, function.value, text)
    return fixes(
        Fix("Move the model before the optimizer takes its parameters", edits(edit), Applicability.UNSAFE)
    )
