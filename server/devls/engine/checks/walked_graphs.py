"""Graphs that backward has walked: what other checks ask when they judge what was kept."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits, moments, notes, program_moments, tensor_facts
from devls.engine.core.moments import WalkedGraph
from devls.engine.torch.autograd import backward, graph_walk
from devls.engine.torch.nn import registry
from devls.syntax.nodes import walk
from devls.values.call_facts import CalledWithoutGrad
from devls.values.graph import Node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.value import FunctionValue, InstanceValue, TensorValue


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


def graph_of(m: Machine, place: ast.expr, root: TensorValue, start: Node) -> WalkedGraph:
    """What a backward of a result would walk, which is called elsewhere."""
    nodes = dict.fromkeys(nodes_behind(m, [root]))
    m.state.work += limits.WORK_OF_NODE * len(nodes)
    leaves = [each for node in nodes for each in node.inputs if each.is_parameter]
    return WalkedGraph(
        place, root, None, "the result", start, nodes, leaves, open=True, accumulates=False, ahead=True
    )


_TRAINED: Final = frozenset({"forward", "training_step", "compute_loss"})
"""Methods of modules whose result somebody calls backward on."""


@program_moments.run_returned.on
def forward_ended(
    m: Machine, function: FunctionValue, receiver: InstanceValue | None, result: object
) -> None:
    """A module's `forward` was run by itself: walk the graph of what it returns, as backward will."""
    if receiver is None or not registry.is_module(m, receiver):
        return
    if function.name not in _TRAINED or m.grad_enabled() is not True or function.grad_mode:
        return
    if CalledWithoutGrad(function.definition) in m.call_facts and not function.source.says("backward"):
        return  # the program that the file is makes the module, and only wants what comes out
    place = returned(function.node)
    if place is None or m.notes.of(WalkedGraphs).trains:  # whoever calls backward in it returns what to print
        return
    results = tensor_facts.tensors_in(m, [result])
    starts = [each for each in map(m.node, results) if isinstance(each, Node)]
    for tensor in results:
        if m.requires_grad(tensor) is True and tensor.symbol is None:
            own = m.node(tensor)
            backward.walk_ahead(m, place, tensor, tuple(each for each in starts if each is not own))


def returned(node: ast.AST) -> ast.expr | None:
    """The last expression that a function returns."""
    found = [each.value for each in walk(node) if isinstance(each, ast.Return) and each.value is not None]
    return found[-1] if found else None
