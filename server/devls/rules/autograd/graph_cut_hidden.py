"""graph-cut-hidden: a result without a graph is made to require grad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events import GraphCutHidden
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("graph-cut-hidden", on=GraphCutHidden, level="warning")
def graph_cut_hidden(event: GraphCutHidden) -> Iterator[Finding]:
    """Report where the cut is hidden."""
    yield Finding(
        f"`{event.how}` makes backward run, but nothing behind `{event.text}` gets a gradient: the graph was cut before",
        event.site,
        Confidence.CERTAIN,
        notes=(Note(event.cut.site, event.cut.what),) if event.cut is not None else (),
    )
