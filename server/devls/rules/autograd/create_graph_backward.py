"""create-graph-backward: `backward` is told to build the graph of the gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.calls import BackwardKeepsGraph
from devls.rules.rule import Confidence, Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("create-graph-backward", on=BackwardKeepsGraph, level="info")
def create_graph_backward(event: BackwardKeepsGraph) -> Iterator[Finding]:
    """Report at the call."""
    yield Finding(
        "`backward(create_graph=True)` makes each `.grad` and its graph refer to each other, so both stay in memory;"
        " torch warns. Use `torch.autograd.grad`",
        event.site,
        Confidence.CERTAIN,
    )
