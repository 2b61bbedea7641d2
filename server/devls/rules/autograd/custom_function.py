"""custom-function: an `autograd.Function` is not written, or not used, as torch needs it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events_calls import FunctionMisused
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("custom-function", on=FunctionMisused, level="error")
def custom_function(event: FunctionMisused) -> Iterator[Finding]:
    """Report at what `backward` returns, at the call, or where a tensor is put on `ctx`."""
    if event.problem == "called":
        yield _called(event)
        return
    if event.problem == "tensor on ctx":
        yield _kept(event)
        return
    found: tuple[Fix, ...] = ()
    missing = event.wanted - event.found
    if event.value is not None and missing > 0:
        value = event.site.source.slice(event.value)
        alone = event.found == 1 and not isinstance(event.value, ast.Tuple)
        inner = value if alone or not value.startswith("(") else value[1:-1].rstrip().rstrip(",")
        edit = rewrite.replace(event.site.source, event.value, f"{inner}{', None' * missing}")
        found = fixes(Fix("Return None for the others", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"`{event.name}` is applied to {event.wanted} arguments, and its `backward` returns"
        f' {event.found}: torch raises "returned an incorrect number of gradients"',
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(event.applied, "it is applied here"),) if event.applied is not None else (),
    )


def _called(event: FunctionMisused) -> Finding:
    made = event.value
    found: tuple[Fix, ...] = ()
    if isinstance(made, ast.Call) and not made.args and not made.keywords:
        text = f"{event.site.source.slice(made.func)}.apply"
        edit = rewrite.replace(event.site.source, made, text)
        found = fixes(Fix(f"Use `{text}`", edits(edit), Applicability.UNSAFE))
    return Finding(
        f"an instance of `{event.name}` is called: torch raises for every `autograd.Function` that is not used"
        f" through `{event.name}.apply`",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )


def _kept(event: FunctionMisused) -> Finding:
    text = event.site.source.slice(event.value) if event.value is not None else "the tensor"
    return Finding(
        f"`{text}` is put on the context for backward: torch does not watch it there, and a later write in place"
        " gives a wrong gradient without an error; `save_for_backward` keeps it",
        event.site,
        Confidence.CERTAIN,
        notes=(Note(event.applied, "it is applied here"),) if event.applied is not None else (),
        level="warning",
    )
