"""retain-graph-leak: a backward keeps the graph, and nothing ever walks it again, or each later iteration does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.transfers import GraphRetained
from devls.rules.repairs import without_argument
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("retain-graph-leak", on=GraphRetained, level="info")
def retain_graph_leak(event: GraphRetained) -> Iterator[Finding]:
    """Report at the call."""
    if event.carried is not None:
        yield Finding(
            f"`{event.text}` is computed of what earlier iterations have computed, and their graphs are kept: each iteration"
            " walks all of them again, and all stay in memory. Detach what is carried over",
            event.site,
            Confidence.CERTAIN,
            notes=(Note(event.carried, "this operation of an earlier iteration is walked again"),),
            level="warning",
        )
        return
    edit = without_argument(event.site, "retain_graph")
    yield Finding(
        f"`retain_graph=True` keeps the graph of `{event.text}` in memory, but no other backward ever uses it: leave it out",
        event.site,
        Confidence.CERTAIN,
        fixes=fixes(Fix("Let the graph go", edits(edit), Applicability.SAFE)),
    )
