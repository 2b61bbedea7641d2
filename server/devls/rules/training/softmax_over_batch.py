"""softmax-over-batch: weights of different samples add up to one, and those of one sample do not."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import NormalisedElsewhere
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("softmax-over-batch", on=NormalisedElsewhere, level="warning")
def softmax_over_batch(event: NormalisedElsewhere) -> Iterator[Finding]:
    """Report at the softmax."""
    yield Finding(
        f"this softmax adds up to one over dimension {event.over}, where samples (or heads) are kept apart, but its result is used"
        f" along dimension {event.along}: samples change each other's results",
        event.softmax,
        Confidence.CERTAIN,
        fixes=_of_dimension(event),
        notes=(Note(event.site, f"it is used along dimension {event.along} here"),),
    )


def _of_dimension(event: NormalisedElsewhere) -> tuple[Fix, ...]:
    """The other dimension, where one is written."""
    call = event.softmax.node
    if not isinstance(call, ast.Call):
        return ()
    given = next((each.value for each in call.keywords if each.arg == "dim"), None)
    if not isinstance(given, ast.Constant):
        return ()
    edit = rewrite.replace(event.softmax.source, given, str(event.along))
    title = f"Take it over dimension {event.along}"
    return fixes(Fix(title, edits(edit), Applicability.UNSAFE))
