"""Losses whose prediction was cut from its graph, where nobody knows of the target: no other operand can carry one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import moments
from devls.engine.core.events.events import BackwardWithoutGraph
from devls.engine.evidence import batch_provenance, judgement
from devls.engine.evidence.batch_provenance import DataCase
from devls.values.graph import Node
from devls.values.history import Step
from devls.values.value import Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moment_facts import WalkedGraph


@moments.graph_walked.on
def graph_walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward went to operands that carry no graph, or of which nobody knows whether they do."""
    del invocation
    if (
        graph.leaves
        or graph.start is None
        or not graph.accumulates
        or m.requires_grad(graph.root) is not None
    ):
        return
    cut = m.state.get(graph.root, "grad_step", graph.root.grad_step)
    if not isinstance(cut, Step) or cut.kind != "cut":
        return
    data = _data_behind(m, graph.start)
    if not data:
        return
    judgement.emit(
        m,
        judgement.judge(m, BackwardWithoutGraph, DataCase(data)),
        lambda: BackwardWithoutGraph(m.site(graph.call), m.frame.statement, graph.text, cut, presumed=True),
    )


def _data_behind(m: Machine, start: Node) -> tuple[Symbol, ...]:
    """The operands behind a node of which nobody knows, if all are data; none if there are others that may carry a graph."""
    found: list[Symbol] = []
    waiting, seen = [(start, False)], {start}
    while waiting:
        node, is_target = waiting.pop()
        if not node.given:
            return ()  # it has operands that nobody sees
        for name, value in node.given:
            each = m.resolve(value)
            edge = m.node(each) if isinstance(each, TensorValue) else None
            target = is_target or name == "target"
            if isinstance(edge, Node):
                if edge not in seen:
                    seen.add(edge)
                    waiting.append((edge, target))
                continue
            if isinstance(each, TensorValue) and m.requires_grad(each) is False:
                continue
            symbol = each.symbol if isinstance(each, TensorValue) else each
            if isinstance(symbol, Symbol) and symbol.hint != "number":
                if not batch_provenance.is_data(symbol, is_target=target):
                    return ()
                found.append(symbol)
            elif isinstance(each, TensorValue):
                return ()
    return tuple(found)
