"""`tensor.grad`: what a backward has left there, or has not."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.events import GradRead, LeafLost, ParameterRebound
from devls.engine.core.events.protocols import GradientsGone
from devls.syntax.layout import ancestors, parents
from devls.syntax.nodes import walk
from devls.values.graph import Node, Storage
from devls.values.history import Step
from devls.values.state import AMBIENT
from devls.values.value import TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


BACKWARD_USED: Final = "#backward used"
"""The slot of the surroundings that holds the last backward of which some gradients were used.

An optimizer has stepped on them, or code has read those of what no optimizer holds.
"""


def read(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    """The gradient of a tensor, as far as it is known; for the table of attributes, which gives the name."""
    del name
    rebound = m.state.get(tensor, "#rebound")
    if rebound is None and m.requires_grad(tensor) is False and _is_used(m, node):
        rebound = m.state.get(tensor, "#rebinds")  # what was bound anew has met no backward yet
    if isinstance(rebound, ParameterRebound):
        m.emit(replace(rebound, missed=m.site(node)))
        return m.unknown(node)
    if receiver_node is not None and _never_filled(m, node, tensor):
        _read_of_non_leaf(m, node, receiver_node, tensor)
        return m.unknown(node)
    status = m.state.get(tensor, "grad", "none")
    if status == "none" and tensor.is_parameter is False and m.is_leaf(tensor) is False:
        return m.unknown(node)
    if status in ("none", "lost"):
        _read_after_clearing(m, node, tensor)
    m.state.set(tensor, "#grad read", True)
    if m.state.get(tensor, "#optimized") is None and (site := m.state.get(tensor, "grad site")) is not None:
        m.state.set(AMBIENT, BACKWARD_USED, m.state.resolve(site))  # it was called for this gradient
    m.state.set(tensor, "#grad seen", True)
    found = m.state.get(tensor, "grad value")
    # `backward(create_graph=True)` leaves gradients that have a graph themselves.
    in_graph = m.state.get("backward", "creates", False) is not False
    if isinstance(found, TensorValue) and not (in_graph and m.requires_grad(found) is False):
        m.state.set(found, "grad of", tensor)  # a join of two reads is a tensor of its own
        return found
    result = TensorValue(
        device=m.device(tensor),
        requires_grad=None if in_graph else False,
        leaf=None if in_graph else True,
        dtype=tensor.dtype,
        shape=tensor.shape,
        nonscalar=tensor.nonscalar,
        storage=Storage(),
        origin=m.site(node),
        device_step=tensor.device_step,
    )
    m.state.set(result, "grad of", tensor)
    m.state.set(tensor, "grad value", result)
    return result


def _read_after_clearing(m: Machine, node: ast.expr, tensor: TensorValue) -> None:
    """`weight.grad.norm()` where `zero_grad` has left None."""
    cleared = m.state.resolve(m.state.get(tensor, "cleared at"))
    call = cleared[0].node if isinstance(cleared, tuple) else None
    if (
        isinstance(call, ast.Call)
        and isinstance(cleared, tuple)
        and not call.args
        and not call.keywords
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "zero_grad"
        and tensor.is_parameter
        and m.state.get(tensor, "grad value") is None
        and m.state.get(tensor, "#escaped") is None
        and m.state.get(AMBIENT, "open backward") is None
        and _is_used(m, node)
        and not _is_tested(m, node)
    ):
        m.emit(GradientsGone(m.site(node), m.frame.statement, m.text(node), cleared[0]))


def _is_tested(m: Machine, node: ast.expr) -> bool:
    """Whether it stands under a test of a gradient."""
    tests: list[ast.AST] = []
    for each in ancestors(m.frame.source, node):
        if isinstance(each, (ast.If, ast.IfExp, ast.While)):
            tests.append(each.test)
        elif isinstance(each, (ast.BoolOp, ast.ListComp, ast.GeneratorExp, ast.DictComp)):
            tests.append(each)
    asked = [each for test in tests for each in walk(test) if isinstance(each, ast.Compare)]
    return any(
        isinstance(each, ast.Attribute) and each.attr == "grad" for test in asked for each in walk(test)
    )


_STEPS: Final = 32
"""Nodes that are looked at behind a value: the update of a leaf is computed in few steps."""


def is_update(m: Machine, tensor: TensorValue) -> bool:
    """Whether a value was computed of leaves of its own shape whose gradients were read: those leaves, after a step."""
    found = False
    stack, seen = [m.node(tensor)], set[Node]()
    while stack:
        node = stack.pop()
        if not isinstance(node, Node) or node in seen:
            continue
        if node.open or len(seen) >= _STEPS:
            return False
        seen.add(node)
        stack += node.edges
        for each in node.inputs:
            if m.is_leaf(each) is True and m.requires_grad(each) is True:
                if m.state.get(each, "#grad seen") is None or each.shape != tensor.shape:
                    return False
                found = True
    return found


def _is_used(m: Machine, node: ast.expr) -> bool:
    """Whether something is asked of what was read, so that it cannot be None."""
    above = parents(m.frame.source).get(node)
    return isinstance(above, ast.Attribute) and above.value is node


def _never_filled(m: Machine, node: ast.expr, tensor: TensorValue) -> bool:
    """Whether a gradient is read that the last backward has not kept: no leaf, and nobody has asked for it before."""
    backward, retained = m.state.get("backward", "last"), m.state.get(tensor, "retains")
    return (
        m.is_leaf(tensor) is False
        and m.requires_grad(tensor) is True
        and isinstance(backward, tuple)
        # Gradient that is retained only after the backward has missed it.
        and (retained is None or (isinstance(retained, int) and retained > backward[3]))
        and (tensor.symbol is None or tensor.symbol.computed is not None)
        and isinstance(getattr(node, "ctx", None), ast.Load)
    )


def _read_of_non_leaf(m: Machine, node: ast.expr, receiver_node: ast.expr, tensor: TensorValue) -> None:
    lost, backward = m.state.get(tensor, "leaf lost"), m.state.get("backward", "last")
    if isinstance(lost, str) and tensor.origin is not None:
        made = created_by(m, tensor)
        m.emit(LeafLost(m.site(node), m.frame.statement, m.text(receiver_node), lost, tensor.origin, made))
        return
    step = m.state.get(tensor, "grad_step", tensor.grad_step)
    walked = backward if isinstance(backward, tuple) else (None, None, None)
    m.emit(
        GradRead(
            m.site(node),
            m.frame.statement,
            m.text(receiver_node),
            receiver_node,
            tensor,
            walked[1] if walked[2] is m.frame.scope else None,
            step if isinstance(step, Step) else None,
        )
    )


def created_by(m: Machine, moved: TensorValue) -> Step | None:
    """How the tensor came to be where it was that was moved."""
    before = m.state.get(moved, "moved from")
    step = m.state.get(before, "device_step", before.device_step) if isinstance(before, TensorValue) else None
    return step if isinstance(step, Step) else None
