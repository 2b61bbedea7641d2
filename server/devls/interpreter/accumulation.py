"""Gradients that are added up over several backwards, and whether the losses were scaled down for it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from devls.interpreter.events_more import LossNotScaled
from devls.syntax.nodes import walk
from devls.values.graph import Node
from devls.values.value import Const, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.interpreter.machine import Machine
    from devls.values.history import Site

_ACCUMULATES: Final = re.compile(r"accum|micro_?(step|batch)", re.IGNORECASE)
"""Names of the number of backwards whose gradients make one step."""

_LEVELS: Final = 6
"""Operations that may stand between the scaling of a loss and its backward (AMP's scaling, an added penalty)."""

_REPEATED_ANEW: Final = frozenset({"step", "zero_grad"})


def scaled(m: Machine, method: str, result: object, other: object) -> None:
    """A tensor was multiplied or divided by something."""
    if method.strip("_").removeprefix("i") not in ("truediv", "mul"):
        return
    if m.tensor_of(other, infer=False) is not None:
        return
    for each in m.alternatives(result):
        node = m.node(each) if isinstance(each, TensorValue) else None
        if isinstance(node, Node) or isinstance(each, (TensorValue, Symbol)):
            m.state.set(node if isinstance(node, Node) else each, "#scaled", True)


def backward(m: Machine, call: ast.expr, root: TensorValue, text: str) -> None:
    """A backward in a loop over as many parts as make one step of the optimizer."""
    loop = m.loops[-1].node if m.loops else None
    if not isinstance(loop, ast.For) or m.silent:
        return
    count = loop.iter.args[-1] if isinstance(loop.iter, ast.Call) and len(loop.iter.args) == 1 else None
    function = m.frame.function
    body = function.node if function is not None else m.source.tree
    if (
        count is None
        or not isinstance(loop.iter, ast.Call)
        or m.text(loop.iter.func) != "range"
        or not _ACCUMULATES.search(m.text(count))
        or not any(each is loop for each in walk(body))
        or m.resolve(m.eval(count)) == Const(1)
    ):
        return
    if any(
        isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr in _REPEATED_ANEW
        for each in walk(loop)
    ):
        return  # each part is a step of its own
    if not _was_scaled(m, root):
        m.emit(LossNotScaled(m.site(call), m.frame.statement, text, m.text(count), _made(m, root)))


def _made(m: Machine, root: TensorValue) -> Site | None:
    """The call of the running function that the loss comes from."""
    depth = len(m.frame.calls)
    level = [node] if isinstance(node := m.node(root), Node) else []
    for _ in range(_LEVELS):
        for each in level:
            if (
                each.site is not None
                and len(each.site.calls) > depth
                and each.site.calls[:depth] == m.frame.calls
            ):
                return each.site.calls[depth]
        level = [edge for each in level for edge in each.edges if edge is not None]
    return None


def _was_scaled(m: Machine, root: TensorValue) -> bool:
    """Whether the loss, or what it is made of right before, was multiplied or divided by a number."""
    if any(m.state.get(each, "#scaled") is True for each in (root, root.symbol) if each is not None):
        return True
    level = [node] if isinstance(node := m.node(root), Node) else []
    for _ in range(_LEVELS):
        if any(m.state.get(each, "#scaled") is True for each in level):
            return True
        level = [edge for each in level for edge in each.edges if edge is not None]
    return False
