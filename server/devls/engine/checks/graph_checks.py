"""What backward is not told or cannot know: zero gradients, `.data`, inference tensors, odd views."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.checks import eval_graph
from devls.engine.core import training_moments
from devls.engine.core.events.protocols import (
    DataWritten,
    ForbiddenViewWritten,
    GradientZero,
    InferenceTensorUsed,
)
from devls.syntax.nodes import walk
from devls.values.graph import Node, next_serial
from devls.values.history import Site
from devls.values.state import AMBIENT
from devls.values.value import Const

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.values.value import TensorValue


# Gradients that are always zero


def zero_gradients(
    m: Machine, start: Node, nodes: Iterable[Node], call: ast.AST, *, ahead: bool = False
) -> None:
    """After a backward: report operations that let no gradient through to leaves nothing else leads to.

    `ahead` of a backward that is called elsewhere, arguments lead to no parameters of the module.
    """
    blocking = [node for node in nodes if node.gradient == "zero"]
    if not blocking:
        return
    reached, is_open = _leaves(m, start, through_zero=False, arguments=not ahead)
    if is_open:
        return
    for node in blocking:
        behind, _ = _leaves(m, node, through_zero=True, arguments=not ahead)
        if behind and not any(each in reached for each in behind):
            leaf = next(iter(behind)).origin
            m.emit(
                GradientZero(
                    node.site, None, node.operation.rpartition(".")[2], node.site.node, leaf, m.site(call)
                )
            )
            return


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
        if node.gradient != "yes" and not through_zero:
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


# Writes through `.data`


def is_data(m: Machine, data: TensorValue, owner: TensorValue) -> None:
    """`tensor.data`: shares memory, and is not seen to."""
    if owner.storage is not None:
        m.state.set(data.storage, "data of", owner.storage)


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


def data_writes(m: Machine, nodes: Iterable[Node], call: ast.AST) -> None:
    """After a backward: report what was written through `.data` since it was saved."""
    for node in nodes:
        for saved in node.saved:
            mark = m.state.resolve(m.state.get(saved.storage, "written as data"))
            if isinstance(mark, tuple) and mark[2] > node.serial:
                site, statement, _, _ = mark
                text = " ".join(site.text.split())
                m.emit(DataWritten(site, statement, text, node.site, m.site(call)))
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
            ):
                continue
            mark = m.state.resolve(m.state.get(tensor.storage, "written as data"))
            if isinstance(mark, tuple) and made.serial < mark[2] < node.serial and not mark[3]:
                site, statement, _, _ = mark
                text = " ".join(site.text.split())
                m.emit(DataWritten(site, statement, text, made.site, m.site(call), of_result=True))
                m.state.set(tensor.storage, "written as data", None)
                return


# Inference tensors


def _forbidden(m: Machine, tensor: TensorValue) -> bool:
    return tensor.inference and m.state.get(AMBIENT, "inference", False) is False


def saved_for_backward(m: Machine, node: ast.expr, operand: Operand) -> None:
    """An operation keeps an operand for backward: torch refuses inference tensors."""
    if _forbidden(m, operand.tensor):
        event = InferenceTensorUsed(
            m.site(node), m.frame.statement, "saved", operand.text, operand.node, operand.tensor.origin
        )
        m.emit(event)


@training_moments.unseen_model_given.on
def given_to_model(m: Machine, node: ast.expr, model: str, tensor: TensorValue) -> None:
    """A model that nobody has frozen takes an input: the first layer keeps it, for the gradient of its weight."""
    if _forbidden(m, tensor) and tensor.dtype in (None, "float32", "float16", "bfloat16", "float64", "float"):
        made, calls = tensor.origin, m.frame.calls
        if made is not None and len(made.calls) > len(calls) and made.calls[: len(calls)] == calls:
            made = made.calls[len(calls)]  # the call of the running function that made it
        m.emit(InferenceTensorUsed(m.site(node), m.frame.statement, "given", model, None, made))


def used_in_place(
    m: Machine, node: ast.expr | ast.stmt, text: str, tensor: TensorValue, problem: str = "written"
) -> None:
    """A tensor is changed in place, or told to require grad: torch refuses inference tensors."""
    if _forbidden(m, tensor):
        m.emit(InferenceTensorUsed(m.site(node), m.frame.statement, problem, text, None, tensor.origin))


# Views


# Writes that torch lets pass although several elements share their memory.
_SPREADING: Final = frozenset(
    {
        "zero_",
        "fill_",
        "masked_fill_",
        "masked_scatter_",
        "index_put_",
        "index_fill_",
        "detach_",
        "item assignment",
    }
)


def view_made(m: Machine, view: TensorValue, kind: str = "") -> None:
    """A view was made, one of `several`, `expanded`, or perhaps without a graph."""
    if kind == "expanded":
        m.state.set(view, "#forbidden", kind)
    elif view.view_of is not None and m.grad_enabled() is False:
        m.state.set(view, "#forbidden", "no_grad")
    elif kind == "several" and m.grad_enabled() is True:
        m.state.set(view, "#forbidden", kind)


def view_written(
    m: Machine, node: ast.expr, how: str, text: str, tensor: TensorValue, *, needs: bool
) -> bool:
    """Report a write to a view that torch refuses; True when it does."""
    kind = m.state.get(tensor, "#forbidden")
    if kind == "expanded":
        refused = how not in _SPREADING
    elif m.grad_enabled() is not True:
        refused = False
    elif kind == "several":
        refused = m.requires_grad(tensor) is True and m.is_leaf(tensor) is False
        refused = refused and not eval_graph.may_be_without_grad(m)
    elif kind == "no_grad":
        base = tensor.view_of
        refused = needs or (base is not None and m.requires_grad(base) is True)
    else:
        refused = False
    if refused and isinstance(kind, str):
        made = tensor.origin
        creation = (
            made.node
            if made is not None and made.calls == m.frame.calls and made.source is m.source
            else None
        )
        call = creation if isinstance(creation, ast.Call) else None
        m.emit(ForbiddenViewWritten(m.site(node), m.frame.statement, kind, text, made, call))
    return refused


def expanded(m: Machine, base: TensorValue, view: TensorValue) -> None:
    """`base.expand(...)`: mark the result if several of its elements are one in memory.

    A size of 1 that is widened to a number known only by name counts: nobody expands to 1 on purpose.
    """
    if base.shape is None or view.shape is None or len(view.shape) < len(base.shape):
        return
    added = len(view.shape) - len(base.shape)
    before = (*(1 for _ in range(added)), *base.shape)
    if any(old == 1 and (new is None or new > 1) for old, new in zip(before, view.shape, strict=True)):
        view_made(m, view, "expanded")


__all__ = ["Site", "data_writes", "expanded", "saved_for_backward", "touched", "zero_gradients"]
