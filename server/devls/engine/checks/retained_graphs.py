"""Graphs that a backward keeps: for another one that comes, or for nothing."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from devls.engine.core import moments, notes, program_moments
from devls.engine.core.events.transfers import GraphRetained
from devls.values.value import TRUE

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moments import WalkedGraph
    from devls.values.graph import Node
    from devls.values.value import TensorValue


class _Place(notes.Part):
    """One place in the code where a graph is kept."""

    __slots__ = ("again", "event", "raised", "roots", "used")

    def __init__(self, event: GraphRetained) -> None:
        self.event = event
        self.roots: list[TensorValue] = []
        self.used = False
        self.raised = False  # when it came to walk a graph of an earlier iteration
        self.again: Node | None = (
            None  # of an earlier iteration, and about to be walked by this call once more
        )


@notes.record
class RetainedGraphs(notes.Record):
    """The places where graphs are kept, and by which of these each node is."""

    __slots__ = ("nodes", "places")

    def __init__(self) -> None:
        self.places: dict[ast.Call, _Place] = {}
        self.nodes: dict[Node, _Place] = {}

    def size(self) -> int:
        """Later backwards may use what is kept."""
        return len(self.places)


@moments.graph_walked.on
def walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward walks a graph, perhaps one that was kept for it, and perhaps keeps it."""
    record = m.notes.of(RetainedGraphs)
    if record.places:
        for node in graph.nodes:
            found = record.nodes.get(node)
            if found is not None:
                found.used = True
        if graph.open:
            for each in record.places.values():
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
    record = m.notes.of(RetainedGraphs)
    found = record.places.get(call.node)
    if found is None:
        text = m.text(call.receiver_node or call.node)
        found = _Place(GraphRetained(m.site(call.node), m.frame.statement, text, call.node, given))
        record.places[call.node] = found
    found.raised = found.raised or (found.again is not None and found.event.carried is None)
    found.again = None if found.raised else _of_earlier_iteration(m, graph, record, found)
    found.roots.append(graph.root)
    if graph.open or graph.root.symbol is not None:
        found.used = True  # nobody knows who shares it
    for node in graph.nodes:
        record.nodes[node] = found


def _of_earlier_iteration(
    m: Machine, graph: WalkedGraph, record: RetainedGraphs, place: _Place
) -> Node | None:
    """The node of an earlier iteration, in which an optimizer has stepped, that the same call has walked then."""
    loop = m.loops[-1] if m.loops else None
    if loop is None or not loop.trains or not place.roots:
        return None
    return next(
        (
            node
            for node in graph.nodes
            if loop.number <= node.serial < loop.iteration and record.nodes.get(node) is place
        ),
        None,
    )


@moments.graph_passed.on
def passed(m: Machine, graph: WalkedGraph) -> None:
    """A backward has gone through a graph without an error."""
    found = m.notes.of(RetainedGraphs).places.get(graph.call)  # type: ignore[call-overload]
    if found is None or found.again is None or found.event.carried is not None:
        return
    found.event = replace(found.event, carried=found.again.site)
    m.emit(found.event)


@program_moments.program_ended.on
def program_ended(m: Machine, *, whole: bool) -> None:
    """Judge what was kept."""
    del whole
    record = m.notes.of(RetainedGraphs)
    for each in record.places.values():
        if (
            each.event.carried is None
            and not each.used
            and not any(_seen_elsewhere(m, root) for root in each.roots)
        ):
            m.emit(each.event)
    record.places.clear()
    record.nodes.clear()


def _seen_elsewhere(m: Machine, root: TensorValue) -> bool:
    return m.state.get(root, "#escaped") is not None
