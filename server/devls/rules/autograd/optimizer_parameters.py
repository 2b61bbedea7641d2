"""optimizer-parameters: an optimizer is given what it cannot train."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events import OptimizerGiven
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, block_of
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source

_PROBLEMS = {
    "non-leaf": '`{text}` holds a tensor that is no leaf: torch raises "can\'t optimize a non-leaf Tensor"',
    "empty": '`{text}` is empty: torch raises "optimizer got an empty parameter list"',
    "exhausted": '`{text}` was used up before: torch raises "optimizer got an empty parameter list"',
    "module": "`{text}` is a module, and torch raises that it is not iterable: an optimizer takes its parameters",
    "tensor": "`{text}` is one tensor, and torch raises: an optimizer takes a list of them",
    "frozen": "none of the parameters of `{optimizer}` requires grad when it steps: it changes nothing",
    "twice": "`{text}` holds a parameter twice: torch warns of it, and each step changes it twice",
    "replaced": "`{text}` is replaced after `{optimizer}` took the parameters: the new ones are never updated",
}


@rule("optimizer-parameters", on=OptimizerGiven, level="error")
def optimizer_parameters(event: OptimizerGiven) -> Iterator[Finding]:
    """Report at the construction."""
    found: tuple[Fix, ...] = ()
    source = event.site.source
    if isinstance(event.argument, ast.expr):
        if event.problem == "module":
            edit = rewrite.append(source, event.argument, ".parameters()")
            found = fixes(Fix(f"Use `{event.text}.parameters()`", edits(edit), Applicability.SAFE))
        elif event.problem == "tensor":
            edit = rewrite.wrap(source, event.argument, "[", "]")
            found = fixes(Fix(f"Use `[{event.text}]`", edits(edit), Applicability.SAFE))
        elif event.made is not None and event.made.source is source and isinstance(event.made.node, ast.expr):
            made = event.made
            listed = rewrite.replace(made.source, made.node, f"list({made.source.slice(made.node)})")
            found = fixes(Fix("Keep them in a list", edits(listed), Applicability.SAFE))
        elif event.problem == "exhausted" and isinstance(event.argument, ast.Name):
            found = _listed_at_once(source, event.argument)
    if event.problem == "replaced":
        found = _takes_the_new(event)
    yield Finding(
        _PROBLEMS[event.problem].format(text=event.text, optimizer=event.optimizer),
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        level="warning" if event.problem in ("twice", "frozen") else "",
        notes=(Note(event.why.site, event.why.what),) if event.why is not None else (),
    )


def _takes_the_new(event: OptimizerGiven) -> tuple[Fix, ...]:
    """The replacement before the optimizer is made, or the optimizer made anew behind it."""
    if event.made is None:
        return ()
    replaced, made = repairs.where_they_part(event.site, event.made)
    source = event.site.source
    if made.source is not source or replaced.source is not source:
        return ()
    changed = repairs.statement_of(source, replaced.node)
    built = repairs.statement_of(source, made.node)
    if changed is None or not isinstance(built, ast.Assign) or changed is built:
        return ()
    first: tuple[Fix, ...] = ()
    if _independent(source, built, changed):
        moved = repairs.moved_before(source, changed, built)
        first = fixes(Fix(f"Replace `{event.text}` first", moved, Applicability.UNSAFE))
    edit = rewrite.insert_after(source, changed, source.slice(built))
    again = fixes(Fix(f"Make `{event.optimizer}` anew behind it", edits(edit), Applicability.UNSAFE))
    return (*first, *again)


def _independent(source: Source, built: ast.stmt, changed: ast.stmt) -> bool:
    """Whether a statement can stand before another one of its block: what lies between them sets nothing that it reads."""
    block = block_of(source, built)
    if block is None or changed not in block or block.index(changed) < block.index(built):
        return False
    between = block[block.index(built) : block.index(changed)]
    read = {
        each.id for each in walk(changed) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }
    stored = {
        each.id
        for part in between
        for each in walk(part)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return not read & stored


def _listed_at_once(source: Source, given: ast.Name) -> tuple[Fix, ...]:
    """`params = list(params)` where the function begins that is given an iterator, and goes through it twice."""
    function = next((each for each in ancestors(source, given) if isinstance(each, ast.FunctionDef)), None)
    if function is None or given.id not in {
        each.arg for each in (*function.args.args, *function.args.kwonlyargs)
    }:
        return ()
    edit = rewrite.insert_before(source, function.body[0], f"{given.id} = list({given.id})")
    return fixes(Fix("Keep them in a list", edits(edit), Applicability.SAFE))
