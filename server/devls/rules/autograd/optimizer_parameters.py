"""optimizer-parameters: an optimizer is given what it cannot train."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events import OptimizerGiven
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        elif event.made is not None and isinstance(event.made.node, ast.expr):
            made = event.made
            listed = rewrite.replace(made.source, made.node, f"list({made.source.slice(made.node)})")
            found = fixes(Fix("Keep them in a list", edits(listed), Applicability.SAFE))
    yield Finding(
        _PROBLEMS[event.problem].format(text=event.text, optimizer=event.optimizer),
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        level="warning" if event.problem in ("twice", "frozen") else "",
        notes=(Note(event.why.site, event.why.what),) if event.why is not None else (),
    )
