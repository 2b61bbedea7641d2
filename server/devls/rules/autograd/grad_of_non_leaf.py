"""grad-of-non-leaf: `.grad` stays None on what is no leaf."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import GradRead
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, block_of, parents
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Edit, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source


@rule("grad-of-non-leaf", on=GradRead, level="warning")
def grad_of_non_leaf(event: GradRead) -> Iterator[Finding]:
    """Report at the read."""
    if event.lost:
        return
    text = event.text
    found: tuple[Fix, ...] = ()
    if event.backward is not None and isinstance(event.receiver, (ast.Name, ast.Attribute)):
        edit = rewrite.insert_before(event.site.source, event.backward, f"{text}.retain_grad()")
        found = fixes(
            Fix(f"Call `{text}.retain_grad()` before the backward", edits(edit), Applicability.SAFE)
        )
    found = _leaf_again(event) or found or _retained(event)
    made = event.tensor.origin
    yield Finding(
        f"`{text}` is not a leaf: its `.grad` is None after backward, unless `{text}.retain_grad()` is called before",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(made, f"`{text}` is the result of an operation"),) if made is not None else (),
    )


def _leaf_again(event: GradRead) -> tuple[Fix, ...]:
    """`params[k] = p - lr * p.grad`, read again in the next round: the result becomes a leaf of its own."""
    made, source = event.tensor.origin, event.site.source
    if made is None or made.source is not source or not isinstance(made.node, ast.expr):
        return ()
    statement = parents(source).get(made.node)
    if not isinstance(statement, ast.Assign) or statement.value is not made.node:
        # `[p - lr * p.grad for p in weights]`: the step itself makes what the next one reads.
        steps = any(each is event.site.node for each in walk(made.node))
        return _of_its_own(source, made.node) if steps else ()
    around = next(
        (each for each in ancestors(source, statement) if isinstance(each, (ast.For, ast.While))), None
    )
    reads = event.statement is statement or (
        around is not None and any(each is event.site.node for each in walk(around))
    )
    reads = reads or any(source.slice(each) == event.text for each in statement.targets)
    if not reads or source.range(made.node).end < source.range(event.site.node).start:
        return ()
    updated = _updated_in_place(source, statement)
    if updated:
        return updated
    return _of_its_own(source, made.node)


def _of_its_own(source: Source, made: ast.expr) -> tuple[Fix, ...]:
    edit = rewrite.append(source, made, ".detach().requires_grad_()")
    return fixes(
        Fix("Begin a graph of its own: `.detach().requires_grad_()`", edits(edit), Applicability.UNSAFE)
    )


def _updated_in_place(source: Source, statement: ast.Assign) -> tuple[Fix, ...]:
    """`w = w - lr * w.grad`, where `w.grad` is cleared below: `w` itself is meant."""
    value, text = statement.value, source.slice(statement.targets[0])
    function = next(
        (each for each in ancestors(source, statement) if isinstance(each, ast.FunctionDef)), None
    )
    cleared = function is not None and any(
        isinstance(each, ast.Attribute)
        and each.attr == "grad"
        and source.range(each).start > source.range(statement).end
        and source.slice(each.value) == text
        for each in walk(function)
    )
    if (
        not cleared
        or not isinstance(value, ast.BinOp)
        or not isinstance(value.op, (ast.Add, ast.Sub))
        or source.slice(value.left) != text
    ):
        return ()
    sign = "+" if isinstance(value.op, ast.Add) else "-"
    update = rewrite.replace(source, statement, f"{text} {sign}= {source.slice(value.right)}")
    around = rewrite.wrap_statement(source, statement, "with torch.no_grad():")
    if update is None or around is None:
        return ()
    whole = Edit(around.range, around.text.replace(source.slice(statement), update.text))
    return fixes(Fix("Update it in place, under `torch.no_grad()`", (whole,), Applicability.UNSAFE))


def _retained(event: GradRead) -> tuple[Fix, ...]:
    """`for name, x in kept.items(): x.grad`: each of them keeps its gradient, from before the backward on."""
    source, read = event.site.source, event.site.node
    for loop in ancestors(source, read):
        if isinstance(loop, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            break
        if not isinstance(loop, ast.For) or not isinstance(event.receiver, ast.Name):
            continue
        if not any(isinstance(each, ast.Name) and each.id == event.text for each in walk(loop.target)):
            continue
        block = block_of(source, loop) or []
        walked = next((each for each in block[: block.index(loop)] if _walks(each)), None)
        if walked is not None:
            header = f"for {source.slice(loop.target)} in {source.slice(loop.iter)}:"
            edit = rewrite.insert_before(source, walked, f"{header}\n    {event.text}.retain_grad()")
            title = f"Call `{event.text}.retain_grad()` of each before the backward"
            return fixes(Fix(title, edits(edit), Applicability.SAFE))
    return ()


def _walks(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and any(
        isinstance(each, ast.Attribute) and each.attr == "backward" for each in walk(statement)
    )
