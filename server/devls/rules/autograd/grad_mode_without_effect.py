"""grad-mode-without-effect: a grad mode that is not entered."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import GradModeWithoutEffect
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import block_of, parents
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("grad-mode-without-effect", on=GradModeWithoutEffect, level="error")
def grad_mode_without_effect(event: GradModeWithoutEffect) -> Iterator[Finding]:
    """Report at the mode."""
    source, text = event.site.source, event.site.text
    if event.problem == "not called":
        edit = rewrite.append(source, event.node, "()")
        yield Finding(
            f"`{text}` is no context manager without parentheses: Python raises. Write `{text}()`",
            event.site,
            Confidence.CERTAIN,
            fixes=fixes(Fix(f"Call it: `{text}()`", edits(edit), Applicability.SAFE)),
        )
    elif event.problem == "not entered":
        yield Finding(
            f"`{text}` as a statement does nothing: use it in a `with`, or as a decorator",
            event.site,
            Confidence.CERTAIN,
            fixes=_enter(event),
        )
    elif event.problem == "left off" and isinstance(event.node, ast.expr):
        again = event.back
        yield Finding(
            f"`{text}` switches gradients off, and "
            + (
                "nothing switches them on again"
                if again is None
                else "a `return` leaves the function before they are switched on again"
            ),
            event.site,
            Confidence.LIKELY,
            fixes=_decorate(event),
            notes=() if again is None else (Note(again, "they are switched on again here"),),
        )


def _enter(event: GradModeWithoutEffect) -> tuple[Fix, ...]:
    """`with torch.no_grad():` around the rest of the block, instead of the statement."""
    source = event.site.source
    statement = repairs.statement_of(source, event.node)
    block = block_of(source, statement) if statement is not None else None
    if statement is None or block is None or statement is block[-1]:
        return ()
    rest = block[block.index(statement) + 1 :]
    if any(isinstance(each, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)) for each in rest):
        return ()
    gone = rewrite.delete_statement(source, statement)
    entered = rewrite.wrap_statement(source, rest[0], f"with {source.slice(event.node)}:", rest[-1])
    return fixes(Fix("Enter it for the rest of the block", edits(gone, entered), Applicability.UNSAFE))


def _decorate(event: GradModeWithoutEffect) -> tuple[Fix, ...]:
    """Without the statement, and with a decorator, which switches the mode back at the end."""
    source = event.site.source
    statement = repairs.statement_of(source, event.node)
    if statement is None:
        return ()
    each = parents(source).get(statement)
    if isinstance(each, ast.FunctionDef) and statement in each.body and not each.decorator_list:
        decorated = rewrite.insert_before(source, each, "@torch.no_grad()")
        again = None if event.back is None else repairs.statement_of(source, event.back.node)
        gone = [rewrite.delete_statement(source, one) for one in (statement, again) if one is not None]
        return fixes(
            Fix(
                "Decorate the function with `@torch.no_grad()`",
                edits(decorated, *gone),
                Applicability.UNSAFE,
            )
        )
    return ()
