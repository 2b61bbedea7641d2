"""Errors around backward that it is not told of or cannot know: zero gradients, `.data`, inference tensors, leaves and odd views."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import budget, moments, training_moments
from devls.engine.core.events.events import BackwardWithoutGraph, LeafWritten
from devls.engine.core.events.protocols import (
    DataWritten,
    ForbiddenViewWritten,
    GradientZero,
    InferenceTensorUsed,
)
from devls.engine.evidence import batch_provenance, judgement
from devls.engine.evidence.batch_provenance import DataCase
from devls.engine.evidence.deferred import PresumedFindings
from devls.syntax.nodes import walk
from devls.values.call_facts import CalledWithoutGrad
from devls.values.graph import Node, next_serial
from devls.values.history import Site, Step
from devls.values.state import AMBIENT
from devls.values.value import Const, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.events.events import Operand
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moments import WalkedGraph


# Writes through `.data`


@moments.detached.on
def is_data(m: Machine, node: ast.AST, tensor: TensorValue, result: TensorValue) -> None:
    """`tensor.data`: shares memory, and is not seen to."""
    del node
    if tensor.storage is not None and result.storage is not tensor.storage:
        m.state.set(result.storage, "data of", tensor.storage)


@moments.memory_written.on
def touched(m: Machine, tensor: TensorValue, node: ast.AST) -> None:
    """Memory changes: if through `.data`, no version does."""
    owner = m.state.get(tensor.storage, "data of")
    if owner is not None:
        mark = (m.site(node), m.frame.statement, next_serial(), _leaves_no_gradient(m, node))
        m.state.set(owner, "written as data", mark)


def _leaves_no_gradient(m: Machine, node: ast.AST) -> bool:
    """Whether minus infinity is written: softmax, and whatever looks for the largest, hands no gradient back to it."""
    last = node.args[-1] if isinstance(node, ast.Call) and node.args else None
    if not isinstance(last, (ast.UnaryOp, ast.Call)):
        return False
    # It was evaluated before: only what does nothing but give a number may be evaluated again.
    called = (each.func for each in walk(last) if isinstance(each, ast.Call))
    if not all(isinstance(each, ast.Name) and each.id == "float" for each in called):
        return False
    return m.resolve(m.eval(last)) == Const(float("-inf"))


@moments.graph_passed.on
def data_writes(m: Machine, graph: WalkedGraph) -> None:
    """After a backward: report what was written through `.data` since it was saved."""
    call = graph.call
    for node in graph.nodes:
        for saved in node.saved:
            mark = m.state.get(saved.storage, "written as data")
            if mark is None:
                continue
            mark = m.state.resolve(mark)
            if isinstance(mark, tuple) and mark[2] > node.serial:
                site, statement, _, _ = mark
                text = " ".join(site.text.split())
                by_name = saved.tensor.is_parameter
                m.emit(DataWritten(site, statement, text, node.site, m.site(call), of_parameter=by_name))
                m.state.set(saved.storage, "written as data", None)
                return
        for index, tensor in enumerate(node.inputs):
            # A result that is no longer what it was computed to be when the next operation takes it.
            made = node.edges[index] if index < len(node.edges) else None
            if (
                made is None
                or made.operation == "join"
                or tensor.is_parameter
                or m.is_leaf(tensor) is not False
                or m.state.get(tensor, "parameter lost") is not None  # that is told
            ):
                continue
            mark = m.state.get(tensor.storage, "written as data")
            if mark is None:
                continue
            mark = m.state.resolve(mark)
            if isinstance(mark, tuple) and made.serial < mark[2] < node.serial and not mark[3]:
                site, statement, _, _ = mark
                text = " ".join(site.text.split())
                m.emit(DataWritten(site, statement, text, made.site, m.site(call), of_result=True))
                m.state.set(tensor.storage, "written as data", None)
                return


# Gradients that are always zero

_SUMS: Final = frozenset({"torch.Tensor.__add__", "torch.Tensor.__radd__"})
_DIFFERENCES: Final = frozenset({"torch.Tensor.__sub__", "torch.Tensor.__rsub__"})


@moments.graph_passed.on
def zero_gradients(m: Machine, graph: WalkedGraph) -> None:
    """After a backward: report operations that let no gradient through to leaves nothing else leads to.

    Ahead of a backward that is called elsewhere, arguments lead to no parameters of the module.
    """
    start, ahead, call = graph.start, graph.ahead, graph.call
    blocking = [node for node in graph.nodes if node.gradient == "zero" or _cancels(node)]
    if not blocking or start is None or not graph.whole:
        return
    reached: dict[TensorValue, None] = {}
    for each in (start, *graph.beside):
        found, is_open = _leaves(m, each, through_zero=False, arguments=not ahead)
        if is_open:
            return
        reached |= found
    for node in blocking:
        behind, _ = _leaves(m, node, through_zero=True, arguments=not ahead)
        if behind and not any(each in reached for each in behind):
            leaf = next(iter(behind)).origin
            cancels = node.gradient == "yes"
            text = " ".join(node.site.text.split()) if cancels else node.operation.rpartition(".")[2]
            m.emit(GradientZero(node.site, None, text, node.site.node, leaf, m.site(call), cancels))
            return


def _cancels(node: Node) -> bool:
    """Whether a sum adds what its other term has subtracted from a constant: of `hard - soft + soft` nothing is left."""
    if node.operation not in _SUMS or len(node.inputs) != 2:
        return False
    for index, edge in enumerate(node.edges):
        difference = None if edge is None else edge.site.node
        if (
            edge is not None
            and edge.operation in _DIFFERENCES
            and edge.inputs == (node.inputs[1 - index],)
            and isinstance(difference, ast.BinOp)
            and isinstance(node.site.node, ast.BinOp)
        ):
            added = node.site.node.left if index else node.site.node.right
            return ast.dump(difference.right) == ast.dump(added)
    return False


def _leaves(
    m: Machine, start: Node, *, through_zero: bool, arguments: bool
) -> tuple[dict[TensorValue, None], bool]:
    """The leaves behind a node, and whether something unknown may be there too."""
    found: dict[TensorValue, None] = {}
    seen = {start}
    stack = [start]
    is_open = False
    while stack:
        node = stack.pop()
        if not through_zero and (node.gradient != "yes" or _cancels(node)):
            continue
        is_open = is_open or (node.open and arguments) or node.operation in ("join", "item")
        for index, tensor in enumerate(node.inputs):
            edge = node.edges[index] if index < len(node.edges) else m.node(tensor)
            if isinstance(edge, Node):
                if edge not in seen:
                    seen.add(edge)
                    stack.append(edge)
            elif m.requires_grad(tensor) is True and m.is_leaf(tensor) is True:
                found[tensor] = None
            elif m.requires_grad(tensor) is not False and (arguments or tensor.symbol is None):
                is_open = True
    return found, is_open


# Inference tensors


def _forbidden(m: Machine, tensor: TensorValue) -> bool:
    return tensor.inference and m.state.get(AMBIENT, "inference", False) is False


def _made(tensor: TensorValue) -> Site | None:
    """Creation of the tensor that a tensor of inference mode is a view of: views are as their base."""
    while tensor.view_of is not None and tensor.view_of.inference:
        tensor = tensor.view_of
    return tensor.origin


@moments.saved_for_backward.on
def saved_for_backward(m: Machine, node: ast.expr, operand: Operand) -> None:
    """An operation keeps an operand for backward: torch refuses inference tensors."""
    if _forbidden(m, operand.tensor):
        event = InferenceTensorUsed(
            m.site(node), m.frame.statement, "saved", operand.text, operand.node, _made(operand.tensor)
        )
        m.emit(event)


@training_moments.unseen_model_given.on
def given_to_model(m: Machine, node: ast.expr, model: str, tensor: TensorValue) -> None:
    """A model that nobody has frozen takes an input: the first layer keeps it, for the gradient of its weight."""
    if _forbidden(m, tensor) and tensor.dtype in (None, "float32", "float16", "bfloat16", "float64", "float"):
        made, calls = _made(tensor), m.frame.calls
        if made is not None and len(made.calls) > len(calls) and made.calls[: len(calls)] == calls:
            made = made.calls[len(calls)]  # the call of the running function that made it
        m.emit(InferenceTensorUsed(m.site(node), m.frame.statement, "given", model, None, made))


@moments.written_in_place.on
def used_in_place(
    m: Machine, node: ast.expr | ast.stmt, text: str, tensor: TensorValue, problem: str
) -> None:
    """A tensor is changed in place, or told to require grad: torch refuses inference tensors."""
    if _forbidden(m, tensor):
        m.emit(InferenceTensorUsed(m.site(node), m.frame.statement, problem, text, None, _made(tensor)))


# Views


@moments.view_write_refused.on
def view_written(m: Machine, node: ast.expr, kind: str, text: str, tensor: TensorValue) -> None:
    """A write to a view that torch refuses."""
    made = tensor.origin
    creation = (
        made.node if made is not None and made.calls == m.frame.calls and made.source is m.source else None
    )
    call = creation if isinstance(creation, ast.Call) else None
    m.emit(ForbiddenViewWritten(m.site(node), m.frame.statement, kind, text, made, call))


@moments.leaf_write_refused.on
def refused(m: Machine, event: LeafWritten) -> None:
    """A leaf is written: where a function runs by itself, its callers may have switched gradients off."""
    weighed = judgement.judge(m, LeafWritten, event)
    root = next((each for each in m.frames if each.function is not None), None)
    if weighed.silenced or m.silent or root is None or root.function is None or not root.symbolic:
        judgement.emit(m, weighed, lambda: event)
        return
    premise = CalledWithoutGrad(root.function.node)
    budget.pay_for_event(m)
    m.notes.of(PresumedFindings).waiting.append((premise, judgement.marked(event, weighed)))


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
        given = node.given
        if not given and node.operation == "torch.Tensor.to":
            given = tuple(("self", each) for each in node.inputs)
        if not given:
            return ()  # it has operands that nobody sees
        for name, value in given:
            each = m.resolve(value)
            if isinstance(each, Symbol) and each.computed is not None:
                each = m.as_tensor(each)
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
