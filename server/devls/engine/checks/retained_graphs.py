"""Graphs that a backward keeps: for another one that comes, or for nothing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import moments
from devls.engine.core.events.transfers import GraphRetained
from devls.values.value import TRUE

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.walked_graph import WalkedGraph
    from devls.values.value import TensorValue


class Retained:
    """One place in the code where a graph is kept."""

    __slots__ = ("event", "roots", "used")

    def __init__(self, event: GraphRetained) -> None:
        self.event = event
        self.roots: list[TensorValue] = []
        self.used = False


@moments.graph_walked.on
def walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward walks a graph, perhaps one that was kept for it, and perhaps keeps it."""
    if m.retained:
        for node in graph.nodes:
            found = m.retained_nodes.get(node)
            if found is not None:
                found.used = True
        if graph.open:
            for each in m.retained.values():
                each.used = True  # what lies behind it may be any of them
    if invocation is not None:
        _kept(m, invocation, graph)


def _kept(m: Machine, call: Invocation, graph: WalkedGraph) -> None:
    """`loss.backward(retain_graph=True)`."""
    given = call.keyword_nodes.get("retain_graph")
    if (
        given is None
        or call.keyword(m, "retain_graph") != TRUE
        or call.keyword(m, "create_graph") == TRUE
        or not isinstance(call.node, ast.Call)
        or m.muted
    ):
        return
    found = m.retained.get(call.node)
    if found is None:
        text = m.text(call.receiver_node or call.node)
        found = Retained(GraphRetained(m.site(call.node), m.frame.statement, text, call.node, given))
        m.retained[call.node] = found
    found.roots.append(graph.root)
    if graph.open or graph.root.symbol is not None:
        found.used = True  # nobody knows who shares it
    for node in graph.nodes:
        m.retained_nodes[node] = found


def run_ended(m: Machine) -> None:
    """Judge what was kept."""
    for each in m.retained.values():
        if not each.used and not any(_seen_elsewhere(m, root) for root in each.roots):
            m.emit(each.event)
    m.retained.clear()
    m.retained_nodes.clear()


def _seen_elsewhere(m: Machine, root: TensorValue) -> bool:
    return m.state.get(root, "#escaped") is not None
