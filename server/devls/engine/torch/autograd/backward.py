"""Backward: whether it can run, what it accumulates into, and what it leaves behind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, priors
from devls.engine.core.events.events import BackwardOfNonScalar, BackwardWithoutGraph, GraphCutHidden
from devls.engine.core.moments import WalkedGraph
from devls.engine.torch.autograd import graph_walk, hooks
from devls.values.conditions import Either, apply
from devls.values.graph import Node
from devls.values.state import AMBIENT
from devls.values.value import FALSE, MANY, InstanceValue, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.history import Site


ROOT: Final = "#backward began"
"""The slot of what is unknown and a backward without a gradient has begun with: a tensor of one element."""


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
    text = m.text(receiver) if receiver is not None else "the result"
    moments.backward_begins(m, call, root, text, accumulates=accumulate)
    if _has_no_graph(m, root):
        step = m.state.get(root, "grad_step", root.grad_step)
        m.emit(BackwardWithoutGraph(m.site(call), m.frame.statement, text, step))  # type: ignore[arg-type]
        open_backward(m, call)  # go on as if it were mended
        return
    if not has_gradient and _has_several_elements(root):
        node = m.node(root)
        made = node.site if isinstance(node, Node) and node.operation != "item" else None
        asked = _told_not_to_reduce(m, node)
        m.emit(BackwardOfNonScalar(m.site(call), m.frame.statement, text, receiver, root.shape, made, asked))
    elif not has_gradient and root.dtype is not None and root.dtype.startswith("complex"):
        m.emit(
            BackwardOfNonScalar(m.site(call), m.frame.statement, text, receiver, root.shape, is_complex=True)
        )
    if root.symbol is not None and not has_gradient:
        m.state.set(root.symbol, ROOT, True)
    cut = m.state.get(root, "grad_step", root.grad_step)
    if m.requires_grad(root) is None and root.symbol is not None and cut is None:
        # Somebody calls backward on it, so it carries a graph.
        m.state.set(root, "requires_grad", True)
        m.state.set(root, "leaf", False)
    walk = _walk(m, graph_walk.Walk(m, call, text, receiver), root, only, accumulate=accumulate)
    start = m.node(root)
    graph = WalkedGraph(
        call, root, receiver, text, start if isinstance(start, Node) else None, walk.seen, walk.leaves,
        walk.open, accumulate, only is None, not accumulate and retain is True,
    )  # fmt: skip
    moments.graph_walked(m, graph, call_)
    for term in graph_walk.terms_of(m, root):
        m.state.set(term, "#in a loss", True)
    if walk.failed:
        open_backward(m, call)  # go on as if it were mended
        return
    moments.graph_passed(m, graph)
    _free(m, graph, retain)
    if accumulate:
        _accumulate(m, graph)
    in_graph = call_ is not None and call_.keyword(m, "create_graph") not in (None, FALSE)
    hooks.backward_ended(m, call, walk, accumulated=accumulate, graph=in_graph)


def _has_no_graph(m: Machine, root: TensorValue) -> bool:
    """Whether a root surely carries no graph; a program that runs goes by the defaults of its options."""
    needs = m.requires_grad(root)
    escaped = m.state.get(root, "#escaped") is True
    if type(needs) is Either and m.program_runs and priors.by_default(m, needs) is False:
        needs = False
    return needs is False and not escaped and root.symbol is None


def _told_not_to_reduce(m: Machine, node: object) -> Site | None:
    """Creation of a loss with a `reduction` that a root, or one of its operands, was computed with."""
    behind, seen = [node], set[Node]()
    while behind and len(seen) < _STEPS_BACK:
        each = behind.pop(0)
        if isinstance(each, Node) and each not in seen:
            seen.add(each)
            asked = _asked_at(m, each.site)
            if asked is not None:
                return asked
            behind += each.edges
    return None


_STEPS_BACK: Final = 16
"""Nodes that are looked at behind a root: weights and masks are put to the losses of a batch at its end."""


def _asked_at(m: Machine, made: Site) -> Site | None:
    """Creation of a loss with a `reduction` that a name of the running function stands for."""
    call = made.node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    layer = m.resolve(m.state.get(m.frame.scope, call.func.id))
    built = layer.origin if isinstance(layer, InstanceValue) else None
    given = built.node.keywords if built is not None and isinstance(built.node, ast.Call) else []
    return built if any(each.arg == "reduction" for each in given) else None


def _has_several_elements(root: TensorValue) -> bool:
    return any(size is not None and size > 1 for size in root.shape or ()) or (
        root.nonscalar == MANY and (root.shape is None or None in root.shape)
    )


def _walk(
    m: Machine, walk: graph_walk.Walk, root: TensorValue, only: list[TensorValue] | None, *, accumulate: bool
) -> graph_walk.Walk:
    """Walk from the root of a backward, `only` towards some tensors, if given."""
    start = m.node(root)
    if isinstance(start, Node):
        if only is not None:
            walk.wanted = _leading_to(m, start, only)
        if walk.wanted is None or start in walk.wanted:
            walk.visit(start)
        elif not accumulate:
            _tell_hidden_cut(m, start)
        if only is not None:
            walk.leaves = [each for each in walk.leaves if each in only]
    elif m.is_leaf(root) is not True or m.requires_grad(root) is not True:
        walk.open = True  # somebody gave it a graph that we do not see
    elif m.is_leaf(root) is True and accumulate:
        walk.leaves.append(root)
    return walk


def _tell_hidden_cut(m: Machine, start: Node) -> None:
    """A gradient was asked for of what a graph does not lead to: a copy of numbers that begins it may be why."""
    stack, seen = [start], set[Node]()
    hidden: list[GraphCutHidden] = []
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.open or len(seen) > _MOST_NODES:
            return  # it may lead there by a way that is not seen
        marks = (m.state.get(each, "hides a cut") for each in node.inputs)
        hidden += [each for each in marks if isinstance(each, GraphCutHidden)]
        stack += [each for each in node.edges if isinstance(each, Node)]
    for event in hidden[:1]:
        m.emit(event)


_MOST_NODES: Final = 256
"""Nodes of a graph that are looked at for a hidden cut."""


def _free(m: Machine, graph: WalkedGraph, retain: Tree) -> None:
    """The buffers of a graph are freed, unless it is retained."""
    if retain is True:
        return
    site = m.site(graph.call)
    for node in graph.nodes:
        if retain is False:
            m.state.set(node, "freed", site)
            if node.serial < m.run_began:
                m.freed_in_run.add(node)
        else:
            m.state.set(node, "freed", None)


def _accumulate(m: Machine, graph: WalkedGraph) -> None:
    """The leaves of a graph get their gradients."""
    if len(graph.leaves) == 1 and not graph.open:
        hidden = m.state.get(graph.leaves[0], "hides a cut")
        if isinstance(hidden, GraphCutHidden) and _is_cut(m, hidden):
            m.emit(hidden)
            open_backward(m, graph.call)  # go on as if it were mended
    for leaf in graph.leaves:
        accumulated_into(m, leaf, graph.call)
    if graph.open:
        open_backward(m, graph.call)


def _is_cut(m: Machine, hidden: GraphCutHidden) -> bool:
    """Whether what numbers were read from carries a graph: of a model that is not seen a backward tells that."""
    read = [each for each in (hidden.cut.of if hidden.cut else ()) if isinstance(each, TensorValue)]
    return not read or any(m.requires_grad(each) is True for each in read)


def walk_ahead(m: Machine, place: ast.expr, root: TensorValue, beside: tuple[Node, ...] = ()) -> None:
    """Walk the graph of a result for which backward will be called elsewhere; nothing is freed or accumulated.

    `beside`: the graphs of what is returned with it, which the loss may be computed of as well.
    """
    start = m.node(root)
    if not isinstance(start, Node):
        return
    text = "the result"
    walk = graph_walk.Walk(m, place, text, None)
    walk.ahead = True
    walk.visit(start)
    if not walk.failed:
        moments.graph_passed(
            m,
            WalkedGraph(
                place,
                root,
                None,
                text,
                start,
                walk.seen,
                walk.leaves,
                walk.open,
                accumulates=False,
                ahead=True,
                beside=beside,
            ),
        )


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
