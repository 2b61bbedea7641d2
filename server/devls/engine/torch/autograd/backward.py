"""Backward: whether it can run, what it accumulates into, and what it leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.checks import (
    call_order,
    eval_graph,
    grad_accumulation,
    graph_checks,
    missing_detach,
    retained_graphs,
    zero_grad,
)
from devls.engine.checks.walked_graphs import WalkedGraphs
from devls.engine.core.events.events import BackwardOfNonScalar, BackwardWithoutGraph, GraphCutHidden
from devls.engine.evidence import cli_defaults, opaque_models
from devls.engine.torch.autograd import graph_walk, hooks
from devls.values.conditions import Either, apply
from devls.values.graph import Node
from devls.values.state import AMBIENT
from devls.values.value import FALSE, MANY

if TYPE_CHECKING:
    import ast

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.value import TensorValue


def backward(
    m: Machine,
    call: ast.expr,
    root: TensorValue,
    receiver: ast.expr | None,
    *,
    retain: Tree,
    has_gradient: bool = False,
    accumulate: bool = True,
    only: list[TensorValue] | None = None,
    call_: Invocation | None = None,
) -> None:
    """`root.backward()`, or one root of `autograd.backward` / `autograd.grad`; `only` towards some tensors, if given."""
    eval_graph.backward_called(m)
    opaque_models.backward_called(m)
    text = m.text(receiver) if receiver is not None else "the result"
    if accumulate:
        zero_grad.filled(m, m.site(call))
        grad_accumulation.backward(m, call, root, text)
    needs = m.requires_grad(root)
    escaped = m.state.get(root, "#escaped") is True
    if type(needs) is Either and m.program_runs and cli_defaults.by_default(m, needs) is False:
        needs = False
    if needs is False and not escaped and root.symbol is None:
        m.emit(
            BackwardWithoutGraph(
                m.site(call),
                m.frame.statement,
                text,
                m.state.get(root, "grad_step", root.grad_step),  # type: ignore[arg-type]
            )
        )
        open_backward(m, call)  # go on as if it were mended
        return
    if not has_gradient and (
        any(size is not None and size > 1 for size in root.shape or ())
        or (root.nonscalar == MANY and (root.shape is None or None in root.shape))
    ):
        node = m.node(root)
        made = node.site if isinstance(node, Node) and node.operation != "item" else None
        m.emit(BackwardOfNonScalar(m.site(call), m.frame.statement, text, receiver, root.shape, made))
    if needs is None and root.symbol is not None:
        # Somebody calls backward on it, so it carries a graph.
        m.state.set(root, "requires_grad", True)
        m.state.set(root, "leaf", False)
    walk = graph_walk.Walk(m, call, text, receiver)
    start = m.node(root)
    if isinstance(start, Node):
        if only is not None:
            walk.wanted = _leading_to(m, start, only)
        if walk.wanted is None or start in walk.wanted:
            walk.visit(start)
        if only is not None:
            walk.leaves = [each for each in walk.leaves if each in only]
    elif m.is_leaf(root) is not True or m.requires_grad(root) is not True:
        walk.open = True  # somebody gave it a graph that we do not see
    elif m.is_leaf(root) is True and accumulate:
        walk.leaves.append(root)
    if accumulate:
        call_order.backward_runs(m, call, text)
    retained_graphs.walked(m, walk)
    if call_ is not None:
        retained_graphs.kept(m, call_, root, walk)
    call_order.walked(m, call, receiver, walk.seen)
    summands = grad_accumulation.in_sum(m, root)
    for each in summands:
        m.state.set(each, "#in a loss", True)
    if accumulate or retain is not True:
        m.notes.of(WalkedGraphs).nodes.update(walk.seen)
        m.notes.of(WalkedGraphs).roots.update((root, *summands))
    else:
        m.notes.of(WalkedGraphs).kept.update(
            walk.seen
        )  # `autograd.grad(..., create_graph=True)`: what was walked is there for more
    if walk.failed:
        open_backward(m, call)  # go on as if it were mended
        return
    graph_checks.data_writes(m, walk.seen, call)
    missing_detach.check(m, walk.seen, call)
    if accumulate:
        missing_detach.through_copies(m, walk.seen, walk.leaves, call)
    if isinstance(start, Node) and only is None:
        graph_checks.zero_gradients(m, start, walk.seen, call)
    if retain is not True:
        site = m.site(call)
        for node in walk.seen:
            if retain is False:
                m.state.set(node, "freed", site)
                if node.serial < m.run_began:
                    m.freed_in_run.add(node)
            else:
                m.state.set(node, "freed", None)
    if len(walk.leaves) == 1 and not walk.open and accumulate:
        hidden = m.state.get(walk.leaves[0], "hides a cut")
        if isinstance(hidden, GraphCutHidden):
            m.emit(hidden)
            open_backward(m, call)  # go on as if it were mended
    if accumulate:
        for leaf in walk.leaves:
            accumulated_into(m, leaf, call)
        if walk.open:
            open_backward(m, call)
    graph = call_ is not None and call_.keyword(m, "create_graph") not in (None, FALSE)
    hooks.backward_ended(m, call, walk, accumulated=accumulate, graph=graph)


def walk_ahead(m: Machine, place: ast.expr, root: TensorValue) -> None:
    """Walk the graph of a result for which backward will be called elsewhere; nothing is freed or accumulated."""
    start = m.node(root)
    if not isinstance(start, Node):
        return
    walk = graph_walk.Walk(m, place, "the result", None)
    walk.ahead = True
    walk.visit(start)
    if not walk.failed:
        graph_checks.data_writes(m, walk.seen, place)
        graph_checks.zero_gradients(m, start, walk.seen, place, ahead=True)


def accumulated_into(m: Machine, leaf: TensorValue, call: ast.AST) -> None:
    """A backward reached a leaf: its `.grad` is filled, or added to."""
    status = m.state.get(leaf, "grad", "none")
    m.state.set(
        leaf,
        "grad",
        apply(lambda each: {"none": "fresh", "lost": "fresh", "used": "mixed"}.get(str(each), each), status),
    )
    m.state.set(leaf, "grad site", (m.site(call), m.frame.statement, m.loops[-1].number if m.loops else 0))


def open_backward(m: Machine, call: ast.AST) -> None:
    """A graph of which we do not know all leaves was walked."""
    m.state.set(AMBIENT, "open backward", (m.site(call), m.frame.statement, 0))
    for optimizer in m.state.get(AMBIENT, "optimizers", ()):  # type: ignore[attr-defined]
        status = m.state.get(optimizer, "grad", "none")
        m.state.set(
            optimizer,
            "grad",
            apply(
                lambda each: {"none": "fresh", "lost": "fresh", "used": "mixed"}.get(str(each), each), status
            ),
        )


def clear_unseen(m: Machine) -> None:
    """Gradients of parameters that we do not see are cleared: whose they are cannot be told."""
    for each in m.state.get(AMBIENT, "optimizers", ()):  # type: ignore[attr-defined]
        m.state.set(each, "grad", "none")
    m.state.set(AMBIENT, "open backward", None)


def not_run(m: Machine) -> None:
    """A body that we see is not run: it may clear gradients, or compute some."""
    clear_unseen(m)
    m.state.set(AMBIENT, "open backward", False)


def _leading_to(m: Machine, start: Node, wanted: list[TensorValue]) -> set[Node]:
    """The nodes of a graph that lie on a way to one of some tensors: autograd runs no others."""
    made_by = {node for each in wanted if isinstance(node := m.node(each), Node)}
    above: dict[Node, list[Node]] = {start: []}
    stack = [start]
    found: list[Node] = []
    while stack:
        node = stack.pop()
        # A leaf; what has a node was another value then, if it is written in place.
        if any(
            each in wanted and (index >= len(node.edges) or node.edges[index] is None)
            for index, each in enumerate(node.inputs)
        ):
            found.append(node)
        for edge in node.edges:
            if edge is None:
                continue
            if edge in made_by:
                found.append(node)
            if edge not in above:
                above[edge] = []
                stack.append(edge)
            above[edge].append(node)
    leading = set[Node]()
    while found:
        node = found.pop()
        if node not in leading:
            leading.add(node)
            found += above[node]
    return leading
