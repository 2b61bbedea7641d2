"""Gradients that are added up over several backwards, and whether the losses were scaled down for it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, program_moments
from devls.engine.core.events.protocols import LossNotScaled
from devls.engine.evidence import judgement, naming_priors
from devls.engine.evidence.accumulation_presumptions import AccumulationCase
from devls.engine.torch.autograd import graph_walk
from devls.syntax.nodes import walk
from devls.values.graph import Node
from devls.values.value import Const, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.history import Site


_LEVELS: Final = 6
"""Operations that may stand between the scaling of a loss and its backward (AMP's scaling, an added penalty)."""

_REPEATED_ANEW: Final = frozenset({"step", "zero_grad"})


_ADDS: Final = frozenset({"__add__", "__radd__", "__iadd__", "__sub__", "__isub__"})
_SCALES: Final = frozenset({"__mul__", "__imul__", "__truediv__", "__itruediv__"})


@program_moments.operator_applied.on
def operator_applied(m: Machine, method: str, result: object, left: object, right: object) -> None:
    """Something was computed that may be a loss, or a part of one."""
    if method in _SCALES and m.tensor_of(right, infer=False) is None:
        _scaled(m, result)
    if m.loops and isinstance(result, (Symbol, TensorValue)):
        _combined(m, method, result, left, right)


def _scaled(m: Machine, result: object) -> None:
    """A tensor was multiplied or divided by something."""
    for each in m.alternatives(result):
        node = m.node(each) if isinstance(each, TensorValue) else None
        if isinstance(node, Node) or isinstance(each, (TensorValue, Symbol)):
            m.state.set(node if isinstance(node, Node) else each, "#scaled", True)


def _combined(m: Machine, method: str, result: object, left: object, right: object) -> None:
    """Something was computed of others: keep in mind what a sum is a sum of, for a backward may be called on it."""
    if method in _ADDS:
        terms: tuple[object, ...] = (left, right)
    elif method in _SCALES:
        terms = tuple(
            one
            for one, other in ((left, right), (right, left))
            if _is_weight(m, other) and not _is_weight(m, one)
        )
    else:
        return
    terms = tuple(each for each in map(m.resolve, terms) if isinstance(each, (Symbol, TensorValue)))
    if terms:
        m.state.set(result, graph_walk.TERMS, terms)


def _is_weight(m: Machine, value: object) -> bool:
    """Whether something is a number, or likely to be one: an argument or a setting that is multiplied with a loss."""
    value = m.resolve(value)
    return isinstance(value, Const) or (isinstance(value, Symbol) and (value.named or value.hint == "number"))


@moments.backward_begins.on
def backward(m: Machine, call: ast.expr, root: TensorValue, text: str, *, accumulates: bool) -> None:
    """A backward in a loop over as many parts as make one step of the optimizer."""
    if not accumulates:
        return
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
        or not naming_priors.ACCUMULATION_COUNT.search(m.text(count))
        or loop not in walk(body)
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
    if _was_scaled(m, root):
        return
    weighed = judgement.judge(m, LossNotScaled, AccumulationCase(loop, m.text(count)))
    judgement.emit(
        m,
        weighed,
        lambda: LossNotScaled(m.site(call), m.frame.statement, text, m.text(count), _made(m, root)),
    )


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
