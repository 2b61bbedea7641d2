"""eval-keeps-graph: an evaluation records a graph that nobody uses."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import EvalKeepsGraph
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, block_of
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source


@rule("eval-keeps-graph", on=EvalKeepsGraph, level="warning")
def eval_keeps_graph(event: EvalKeepsGraph) -> Iterator[Finding]:
    """Report at the call of the model."""
    found = _evaluating(event)
    if found:
        pass
    elif (
        isinstance(event.function, (ast.FunctionDef, ast.AsyncFunctionDef))
        and not event.function.decorator_list
        and not repairs.trains(event.site.source, event.function)
    ):
        edit = rewrite.insert_before(event.site.source, event.function, "@torch.no_grad()")
        found = fixes(Fix("Decorate the function with `@torch.no_grad()`", edits(edit), Applicability.UNSAFE))
    found = found or _switched_off(event)
    said = "is in eval mode" if event.in_eval_mode else "is only evaluated here"
    yield Finding(
        f"`{event.model}` {said}, but its result keeps a graph that nothing uses, which costs memory: evaluate under `torch.no_grad()`",
        event.site,
        Confidence.LIKELY,
        fixes=found,
    )


def _evaluating(event: EvalKeepsGraph) -> tuple[Fix, ...]:
    """The function that evaluates for the caller, decorated: all that it computes is for an evaluation."""
    place = event.evaluating
    if (
        place is None
        or not isinstance(place.node, (ast.FunctionDef, ast.AsyncFunctionDef))
        or place.node.decorator_list
        or repairs.trains(place.source, place.node)
    ):
        return ()
    edit = rewrite.insert_before(place.source, place.node, "@torch.no_grad()")
    title = f"Decorate `{place.node.name}` with `@torch.no_grad()`"
    return repairs.elsewhere(fixes(Fix(title, edits(edit), Applicability.UNSAFE)), place.source)


def _switched_off(event: EvalKeepsGraph) -> tuple[Fix, ...]:
    """`with torch.no_grad():` around what follows `model.eval()` in one block and calls the model."""
    source, node = event.site.source, event.site.node
    statement: ast.stmt | None = None
    for each in (node, *ancestors(source, node)):
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            if statement is not None and _is_for_both(source, each, statement):
                return ()
            break
        if isinstance(each, ast.stmt):
            loop = isinstance(each, (ast.For, ast.While)) and not repairs.trains(source, each)
            statement = each if statement is None or loop else statement
            block = block_of(source, each) or []
            if any(_evaluates(before) for before in block[: block.index(each)]):
                statement = each
                break
    if statement is None or isinstance(statement, (ast.Return, ast.ClassDef)):
        return ()
    if any(
        isinstance(each, ast.Attribute) and each.attr in ("backward", "step", "train")
        for each in walk(statement)
    ) or repairs.trains(source, statement):
        return ()
    if _is_walked(event, statement):
        return _by_itself(event, statement)
    edit = rewrite.wrap_statement(source, statement, "with torch.no_grad():")
    if edit is None:
        return ()
    title = "Switch gradients off around it: `with torch.no_grad():`"
    return fixes(Fix(title, (edit,), Applicability.UNSAFE))


def _is_for_both(source: Source, function: ast.AST, statement: ast.stmt) -> bool:
    """Whether a function walks what is computed of what a statement binds: the same line is for training and for evaluation."""
    reached = set(repairs.bound_by(statement))
    assigned = [each for each in walk(function) if isinstance(each, ast.Assign)]
    for each in sorted(assigned, key=lambda each: each.lineno):
        if each.lineno > statement.lineno:
            read = {one.id for one in walk(each.value) if isinstance(one, ast.Name)}
            reached |= set(repairs.bound_by(each)) if read & reached else set()
    return any(
        isinstance(each, ast.Attribute) and each.attr == "backward" and source.slice(each.value) in reached
        for each in walk(function)
    )


def _is_walked(event: EvalKeepsGraph, statement: ast.stmt) -> bool:
    """Whether a backward starts at what a statement binds: the rest of it needs its graph."""
    source = event.site.source
    around = (each for each in ancestors(source, statement) if isinstance(each, _SCOPES))
    bound = repairs.bound_by(statement)
    return any(
        isinstance(each, ast.Attribute) and each.attr == "backward" and source.slice(each.value) in bound
        for each in walk(next(around, source.tree))
    )


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _by_itself(event: EvalKeepsGraph, statement: ast.stmt) -> tuple[Fix, ...]:
    """The call of the model alone, before the statement, with gradients switched off; the statement reads its result."""
    source, call = event.site.source, event.site.node
    if not isinstance(call, ast.Call) or not isinstance(statement, (ast.Assign, ast.AugAssign)):
        return ()
    inside = [*ancestors(source, call)]
    inside = inside[: inside.index(statement)]
    if any(isinstance(each, ast.Call) for part in (*call.args, *call.keywords) for each in walk(part)) or any(
        isinstance(each, (ast.comprehension, ast.Lambda, ast.IfExp, ast.BoolOp, *_COMPREHENSIONS))
        for each in inside
    ):
        return ()  # it is not sure to run, or not sure to run before the rest
    taken = {each.id for each in walk(source.tree) if isinstance(each, ast.Name)}
    stem = f"{source.slice(call.func).rpartition('.')[2]}_out"
    name = stem if stem not in taken else f"{stem}_without_graph"
    if not name.isidentifier() or name in taken:
        return ()
    first = rewrite.insert_before(
        source, statement, f"with torch.no_grad():\n    {name} = {source.slice(call)}"
    )
    found = edits(first, rewrite.replace(source, call, name))
    return fixes(Fix(f"Call `{event.model}` before it, under `torch.no_grad()`", found, Applicability.UNSAFE))


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _evaluates(statement: ast.stmt) -> bool:
    """Whether a statement is `model.eval()`, of whatever model."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "eval"
