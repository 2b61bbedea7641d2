"""backward-on-non-scalar: backward of several elements."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import BackwardOfNonScalar
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("backward-on-non-scalar", on=BackwardOfNonScalar, level="error")
def backward_on_non_scalar(event: BackwardOfNonScalar) -> Iterator[Finding]:
    """Report at the backward."""
    found: tuple[Fix, ...] = ()
    if event.is_complex:
        yield Finding(
            f'`{event.root_text}` is complex: torch raises "grad can be implicitly created only for real scalar outputs"',
            event.site,
            Confidence.CERTAIN,
        )
        return
    if isinstance(event.receiver, ast.expr):
        source = event.site.source
        # The result of a loss by itself is the mean.
        ways = (".sum()", ".mean()") if event.asked is None else (".mean()", ".sum()")
        found = fixes(
            *(
                Fix(
                    f"Insert `{insert}`",
                    edits(rewrite.append(source, event.receiver, insert)),
                    Applicability.UNSAFE,
                )
                for insert in ways
            )
        )
    certain = event.shape is not None and any(size is not None and size > 1 for size in event.shape)
    what = "has more than one element" if certain else "was not reduced and has an element for each sample"
    yield Finding(
        f'`{event.root_text}` {what}: torch raises "grad can be implicitly created only for scalar outputs"',
        event.site,
        Confidence.CERTAIN if certain else Confidence.LIKELY,
        fixes=found,
        notes=_notes(event),
    )


def _notes(event: BackwardOfNonScalar) -> tuple[Note, ...]:
    found = []
    if event.asked is not None:
        found.append(Note(event.asked, "the elements are kept apart as this says"))
    if event.made is not None and event.made.node is not event.receiver:
        found.append(Note(event.made, f"`{event.root_text}` is computed here"))
    return tuple(found)
