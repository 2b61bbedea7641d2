"""Graphs that backward has walked: what other checks ask when they judge what was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import moments, notes
from devls.engine.torch.autograd import graph_walk
from devls.values.graph import Node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moment_facts import WalkedGraph
    from devls.values.value import TensorValue


@notes.record
class WalkedGraphs(notes.Record):
    """The nodes and roots of all backwards so far."""

    __slots__ = ("begin", "kept", "nodes", "roots")

    def __init__(self) -> None:
        self.nodes: set[Node] = set()
        self.kept: set[Node] = set()  # walked by `autograd.grad`, which has left them for more
        self.roots: set[TensorValue] = set()  # and the terms of those that are sums
        self.begin = 0  # how many roots there were when the run began

    def isolated(self) -> WalkedGraphs:
        """A function sees what the program has walked."""
        found = WalkedGraphs()
        found.nodes, found.kept, found.roots = set(self.nodes), set(self.kept), set(self.roots)
        found.begin = len(self.roots)
        return found

    def size(self) -> int:
        """All of it may be noticed."""
        return len(self.nodes) + len(self.kept) + len(self.roots)

    @property
    def trains(self) -> bool:
        """Whether backward was called in this run."""
        return len(self.roots) > self.begin


@moments.graph_walked.on
def walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward has walked a graph; what is kept is there for more."""
    del invocation
    record = m.notes.of(WalkedGraphs)
    if graph.kept:
        record.kept.update(graph.nodes)
    else:
        record.nodes.update(graph.nodes)
        record.roots.update((graph.root, *graph_walk.terms_of(m, graph.root)))


def nodes_behind(m: Machine, tensors: Iterable[TensorValue]) -> set[Node]:
    """All nodes that a backward of any of the tensors would walk."""
    seen: set[Node] = set()
    stack = [each for each in map(m.node, tensors) if isinstance(each, Node)]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += [each for each in node.edges if each is not None]
    return seen
