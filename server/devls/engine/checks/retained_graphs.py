"""Graphs that a backward keeps: for another one that comes, or for nothing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.transfers import GraphRetained
from devls.engine.core.notes import Retained
from devls.values.value import TRUE

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.torch.autograd.graph_walk import Walk
    from devls.values.value import TensorValue


def walked(m: Machine, walk: Walk) -> None:
    """A backward walks a graph, perhaps one that was kept for it."""
    if m.retained:
        for node in walk.seen:
            found = m.retained_nodes.get(node)
            if found is not None:
                found.used = True
        if walk.open:
            for each in m.retained.values():
                each.used = True  # what lies behind it may be any of them


def kept(m: Machine, call: Invocation, root: TensorValue, walk: Walk) -> None:
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
    found.roots.append(root)
    if walk.open or root.symbol is not None:
        found.used = True  # nobody knows who shares it
    for node in walk.seen:
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
