"""Gradients that are added up over several backwards, and whether the losses were scaled down for it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, program_moments, training_moments
from devls.engine.core.events.protocols import GradientsMixed, LossNotScaled
from devls.engine.evidence import judgement, naming_priors
from devls.engine.evidence.accumulation_presumptions import AccumulationCase
from devls.engine.torch.autograd import graph_walk
from devls.syntax.nodes import walk
from devls.values.graph import Node
from devls.values.state import AMBIENT
from devls.values.value import Const, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moments import WalkedGraph
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
    function = m.frame.function
    body = function.node if function is not None else m.source.tree
    count = _count_of_parts(m, loop)
    if count is None and _is_mean(m, root):
        count = _count_of_batches(m, loop)
    if count is None or loop not in walk(body) or m.resolve(m.eval(count)) == Const(1):
        return
    if _was_scaled(m, root):
        return
    weighed = judgement.judge(m, LossNotScaled, AccumulationCase(loop, m.text(count)))
    judgement.emit(
        m,
        weighed,
        lambda: LossNotScaled(m.site(call), m.frame.statement, text, m.text(count), _made(m, root)),
    )


def _count_of_parts(m: Machine, loop: ast.For) -> ast.expr | None:
    """The number of parts in `for _ in range(accumulation_steps)`, where none of them is a step of its own."""
    count = loop.iter.args[-1] if isinstance(loop.iter, ast.Call) and len(loop.iter.args) == 1 else None
    if (
        count is None
        or not isinstance(loop.iter, ast.Call)
        or m.text(loop.iter.func) != "range"
        or not naming_priors.ACCUMULATION_COUNT.search(m.text(count))
        or any(True for _ in _steps_in(loop))
    ):
        return None
    return count


def _is_mean(m: Machine, root: TensorValue) -> bool:
    """Whether a loss is seen to be the mean of a batch: what unseen code gives may be scaled already."""
    level = [node] if isinstance(node := m.node(root), Node) else []
    for _ in range(_LEVELS):
        names = {each.operation.removesuffix(".forward").rpartition(".")[2].lower() for each in level}
        if any(name == "mean" or name.endswith(("loss", "entropy", "with_logits")) for name in names):
            return True
        level = [edge for each in level for edge in each.edges if edge is not None]
    return False


def _count_of_batches(m: Machine, loop: ast.For) -> ast.expr | None:
    """The number of batches in `if (i + 1) % accumulation_steps == 0:`, which all steps of a loop stand under."""
    for test in (each for each in loop.body if isinstance(each, ast.If)):
        count = next(
            (
                each.right
                for each in walk(test.test)
                if isinstance(each, ast.BinOp)
                and isinstance(each.op, ast.Mod)
                and naming_priors.ACCUMULATION_COUNT.search(m.text(each.right))
            ),
            None,
        )
        if count is not None:
            under = set(_steps_in(test))
            steps = [each for each in _steps_in(loop) if each in under or each.attr == "zero_grad"]
            return count if under and len(steps) == len(list(_steps_in(loop))) else None
    return None


def _steps_in(code: ast.AST) -> Iterator[ast.Attribute]:
    """The methods called there that make a step of what came before."""
    for each in walk(code):
        if (
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute)
            and each.func.attr in _REPEATED_ANEW
        ):
            yield each.func


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
    """Whether the loss, or what it is made of right before, was multiplied or divided by a number, or is a sum anyway."""
    made = m.node(root)
    if isinstance(made, Node) and made.operation.endswith(".sum"):
        return True
    if any(m.state.get(each, "#scaled") is True for each in (root, root.symbol) if each is not None):
        return True
    level = [node] if isinstance(node := m.node(root), Node) else []
    for _ in range(_LEVELS):
        if any(m.state.get(each, "#scaled") is True for each in level):
            return True
        level = [edge for each in level for edge in each.edges if edge is not None]
    return False


# A backward for the gradient of an input, which leaves gradients in the parameters by the way


_BY_THE_WAY: Final = "#filled by the way"
"""The slot of a parameter with the last backward that also reached an input, and that input."""

_ADDED: Final = "#added to what was left by the way"
"""The slot of the surroundings with such a parameter, after a backward of what the input's gradient has led to."""


@moments.graph_walked.on
def graph_walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward is about to add its gradients to those that are there."""
    del invocation
    if graph.ahead or not graph.accumulates:
        return
    trained = next((each for each in graph.leaves if m.state.get(each, "#optimized") is not None), None)
    if trained is None:
        return
    inputs = [
        each
        for each in graph.leaves
        if not each.is_parameter
        and each.symbol is None
        and each.sides is None
        and m.state.get(each, "#optimized") is None
    ]
    there = m.state.resolve(m.state.get(trained, "grad", "none")) == "fresh"
    mark = m.state.resolve(m.state.get(trained, _BY_THE_WAY))
    site = m.site(graph.call)
    if there and isinstance(mark, tuple) and not inputs and _comes_of(m, graph, mark[1]):
        m.state.set(AMBIENT, _ADDED, (trained, mark[0], site))
    m.state.set(trained, _BY_THE_WAY, (site, inputs[0]) if len(inputs) == 1 else None)


def _comes_of(m: Machine, graph: WalkedGraph, given: TensorValue) -> bool:
    """Whether a graph computes with data that were made after the gradient of an input was read."""
    read = m.state.get(given, "grad value")
    return isinstance(read, TensorValue) and any(
        isinstance(each, TensorValue)
        and each.serial > read.serial
        and not each.is_parameter
        and each.shape == given.shape
        and m.requires_grad(each) is False
        for node in graph.nodes
        for each in (*node.inputs, *node.apart)
    )


@training_moments.stepped.on
def stepped(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
    """An optimizer steps, on both."""
    mark = m.state.resolve(m.state.get(AMBIENT, _ADDED))
    if not isinstance(mark, tuple) or not isinstance(optimizer, InstanceValue):
        return
    parameter, first, last = mark
    if parameter not in m.state.get(optimizer, "#parameters", ()):  # type: ignore[operator]
        return
    m.state.set(AMBIENT, _ADDED, None)
    fresh = m.state.resolve(m.state.get(parameter, "grad", "none")) == "fresh"
    if fresh and all(m.state.get(each, "#escaped") is None for each in (optimizer, parameter)):
        m.emit(GradientsMixed(m.site(node), m.frame.statement, text, "", first, last))
