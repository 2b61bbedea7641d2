"""custom-function: the `backward` of an `autograd.Function` returns another number of gradients than `forward` takes arguments."""

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
    """Report at what `backward` returns."""
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
