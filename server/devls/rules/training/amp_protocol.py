"""amp-protocol: a GradScaler is used half-way."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import ScalerMisused
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
    "no update": "`{scaler}` steps `{optimizer}` again without an `update()` since: torch raises",
    "unscaled twice": "`{scaler}` unscales the gradients of `{optimizer}` a second time without an `update()` since: torch raises",
    "unscaled each round": "`{scaler}` unscales the gradients of `{optimizer}` again in a round without an `update()` since: torch raises."
    " Unscale them where it steps",
    "unscaled backward": "this loss is not scaled, but `{scaler}.step({optimizer})` unscales the gradients: call `{scaler}.scale(...)` on it first",
    "plain step": "the gradients are still scaled here: call `{scaler}.step({optimizer})`, which unscales them, and leaves the step out"
    " where one of them is infinite",
    "under autocast": "`{scaler}` runs backward inside `autocast`, and torch advises against it: gradients of what was computed in"
    " full precision are rounded, too",
    "update alone": "`{scaler}.update()` follows no step or `unscale_` since the last one: torch raises."
    " Call it only where `{scaler}` has stepped",
    "half": "`{optimizer}` holds parameters in float16, whose gradients `{scaler}` does not unscale: torch raises."
    " Keep them in float32, and compute under `autocast`",
    "clipped scaled": "the gradients are still scaled here, so they are clipped far too much: call `{scaler}.unscale_({optimizer})` first",
}


@rule("amp-protocol", on=ScalerMisused, level="warning")
def amp_protocol(event: ScalerMisused) -> Iterator[Finding]:
    """Report at the step, the backward or the clipping."""
    yield Finding(
        _PROBLEMS[event.problem].format(scaler=event.scaler, optimizer=event.optimizer),
        event.site,
        Confidence.LIKELY,
        fixes=_fix(event),
        notes=(Note(event.related, _related(event)),) if event.related is not None else (),
        # Most backwards take the types of their forwards: torch advises against it, and little comes of it.
        level="info" if event.problem == "under autocast" else "",
    )


def _related(event: ScalerMisused) -> str:
    return {
        "unscaled twice": "they are unscaled here already",
        "under autocast": "autocast begins here",
        "plain step": "they are scaled here",
        "half": "a parameter is made here",
    }.get(event.problem, "the scaled step is here")


def _fix(event: ScalerMisused) -> tuple[Fix, ...]:
    source, scaler = event.site.source, event.scaler
    if event.problem == "unscaled twice":
        return _unscaled_once(event)
    if event.problem in ("update alone", "half", "unscaled each round"):
        return ()  # what else has to change is seen by who knows the loop
    if event.related is not None and (
        event.related.calls != event.site.calls or event.related.source is not source
    ):
        return ()  # the scaler may have another name here
    if event.problem == "no update" and isinstance(event.statement, ast.Expr):
        edit = rewrite.insert_after(source, event.statement, f"{scaler}.update()")
        late = _behind_loop(source, event.statement, f"{scaler}.update()")
        late = late or _in_another_method(source, event.statement, f"{scaler}.update()")
        gone = () if late is None else (rewrite.delete_statement(source, late),)
        return fixes(Fix(f"Call `{scaler}.update()`", edits(edit, *gone), Applicability.UNSAFE))
    if event.problem == "unscaled backward" and event.receiver is not None:
        edit = rewrite.wrap(source, event.receiver, f"{scaler}.scale(", ")")
        return fixes(Fix(f"Scale it with `{scaler}.scale(...)`", edits(edit), Applicability.UNSAFE))
    if event.problem == "plain step":
        edit = rewrite.replace(source, event.site.node, f"{scaler}.step({event.optimizer})")
        return fixes(Fix(f"Call `{scaler}.step({event.optimizer})`", edits(edit), Applicability.UNSAFE))
    if event.problem == "clipped scaled" and event.statement is not None:
        edit = rewrite.insert_before(source, event.statement, f"{scaler}.unscale_({event.optimizer})")
        return fixes(
            Fix(f"Call `{scaler}.unscale_({event.optimizer})` first", edits(edit), Applicability.UNSAFE)
        )
    return ()


def _unscaled_once(event: ScalerMisused) -> tuple[Fix, ...]:
    """Without the second call; without the first one where a function calls the second that others may call alone."""
    first, second = event.related, event.site
    gone = first if first is not None and len(first.calls) < len(second.calls) else second
    statement = repairs.statement_of(gone.source, gone.node)
    if not isinstance(statement, ast.Expr) or statement.value is not gone.node:
        return ()
    edit = rewrite.delete_statement(gone.source, statement)
    found = fixes(Fix("Unscale them once", edits(edit), Applicability.UNSAFE))
    return found if gone.source is second.source else repairs.elsewhere(found, gone.source)


def _in_another_method(source: Source, statement: ast.stmt, text: str) -> ast.stmt | None:
    """The statement of this text that another method of the class has: called behind a loop, with no step since the last."""
    around = ancestors(source, statement)
    owner = next((each for each in around if isinstance(each, ast.ClassDef)), None)
    own = next((each for each in around if isinstance(each, ast.FunctionDef)), None)
    if owner is None or own is None or not text.startswith("self."):
        return None
    for method in owner.body:
        if isinstance(method, ast.FunctionDef) and method is not own:
            found = (
                each for each in walk(method) if isinstance(each, ast.Expr) and source.slice(each) == text
            )
            if (late := next(found, None)) is not None:
                return late
    return None


def _behind_loop(source: Source, statement: ast.stmt, text: str) -> ast.stmt | None:
    """The statement of this text that stands behind a loop around another one: once, where each iteration needs it."""
    for loop in ancestors(source, statement):
        if isinstance(loop, (ast.For, ast.While)):
            block = block_of(source, loop) or []
            found = (
                [each for each in block[block.index(loop) + 1 :] if source.slice(each) == text]
                if loop in block
                else []
            )
            if found:
                return found[0]
        if isinstance(loop, (ast.FunctionDef, ast.AsyncFunctionDef)):
            break
    return None
