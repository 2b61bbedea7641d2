"""data-attribute: what backward needs is changed through `.data`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events_more import DataWritten
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("data-attribute", on=DataWritten, level="warning")
def data_attribute(event: DataWritten) -> Iterator[Finding]:
    """Report at the write."""
    if event.of_result:
        yield Finding(
            "this changes a result in the graph, and `.data` hides it: the gradients are those of other numbers",
            event.site,
            Confidence.LIKELY,
            notes=(
                Note(event.needed, "it was computed here"),
                Note(event.backward, "backward goes through it here"),
            ),
        )
        return
    yield Finding(
        "this changes numbers that backward needs, and `.data` hides it: the gradients are wrong",
        event.site,
        Confidence.CERTAIN,
        fixes=repairs.out_of_place(event.site.source, event.statement, of_data=True),
        notes=(
            Note(event.needed, "they were kept for backward here"),
            Note(event.backward, "and are used here"),
        ),
    )
