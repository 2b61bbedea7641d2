"""eval-mode-mixed-up: training goes on in eval mode."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import TrainedInEvalMode
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("eval-mode-mixed-up", on=TrainedInEvalMode, level="warning")
def eval_mode_mixed_up(event: TrainedInEvalMode) -> Iterator[Finding]:
    """Report where eval mode is entered."""
    found: tuple[Fix, ...] = ()
    if event.loop is not None:
        edit = rewrite.insert_before(event.site.source, event.loop, f"{event.model}.train()")
        found = fixes(
            Fix(f"Start each iteration with `{event.model}.train()`", edits(edit), Applicability.UNSAFE)
        )
    found = found or _back_again(event)
    yield Finding(
        f"`{event.model}` stays in eval mode, and the next iteration trains it so: nothing calls `train()`",
        event.site,
        Confidence.LIKELY,
        fixes=found,
        notes=(Note(event.step, "it is trained here"),),
    )


def _back_again(event: TrainedInEvalMode) -> tuple[Fix, ...]:
    """`model.train()` at the end of the function that has called `eval`."""
    source = event.site.source
    function = next(
        (each for each in ancestors(source, event.site.node) if isinstance(each, ast.FunctionDef)), None
    )
    if function is None or not isinstance(event.site.node, ast.Call):
        return ()
    last, text = function.body[-1], f"{event.model}.train()"
    returns = [each for each in walk(function) if isinstance(each, ast.Return)]
    if returns and returns != [last]:
        return ()
    if isinstance(last, ast.Return):
        used = last.value is not None and any(
            isinstance(each, (ast.Call, ast.Attribute)) and source.slice(each).startswith(event.model)
            for each in walk(last.value)
        )
        edit = None if used else rewrite.insert_before(source, last, text)
    else:
        edit = rewrite.insert_after(source, last, text)
    return fixes(Fix(f"Go back with `{text}` at the end", edits(edit), Applicability.UNSAFE))
