"""inplace-breaks-backward: what backward saved was overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events import SavedOverwritten
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, fixes, rule
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("inplace-breaks-backward", on=SavedOverwritten, level="error")
def inplace_breaks_backward(event: SavedOverwritten) -> Iterator[Finding]:
    """Report at the backward that needs it; at the write, where backward is called somewhere else."""
    operation = event.node.operation.removesuffix(".forward").rpartition(".")[2].strip("_")
    what = "its result" if event.saved.what.startswith("result") else f"its `{event.saved.what}`"
    how = "`step()` has updated" if event.by_step else "an in-place operation has changed"
    saved = Note(event.node.site, f"`{operation}` saved {what} here")
    if event.ahead is None:
        yield Finding(
            f"backward needs what `{operation}` saved ({what}), and {how} it since: torch raises"
            ' "modified by an inplace operation"',
            event.site,
            Confidence.CERTAIN,
            fixes=_fix(event),
            notes=(saved, Note(event.written_at, "it was changed here")),
        )
        return
    yield Finding(
        f"this changes in place what `{operation}` saved ({what}): a backward through the result raises"
        ' "modified by an inplace operation"',
        event.site,
        Confidence.LIKELY,
        fixes=_fix(event),
        notes=(saved, Note(event.ahead, "the result is returned here")),
    )


def _fix(event: SavedOverwritten) -> tuple[Fix, ...]:
    """Write to a new tensor instead, where the write stands in this file."""
    written = event.written_at
    if written.source is not event.site.source:
        return ()
    if event.by_step:
        if written.calls != event.site.calls:
            return ()
        step = repairs.statement_of(written.source, written.node)
        moved = repairs.moved_behind(written.source, step, event.statement)
        return fixes(Fix("Step after this backward", moved, Applicability.UNSAFE))
    statement = repairs.statement_of(written.source, written.node)
    return repairs.out_of_place(written.source, statement) or repairs.to_a_copy(written.source, statement)
