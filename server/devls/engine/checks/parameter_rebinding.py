"""Parameters that a loop replaces instead of changing them in place: `w = w - lr * w.grad`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple

from devls.engine.core import notes, program_moments
from devls.engine.core.events.events import ParameterRebound
from devls.syntax.nodes import of_tree, walk
from devls.values.value import Scope, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame


class _Rebound(NamedTuple):
    """A name that has held a parameter, and holds what was computed of it."""

    scope: Scope
    name: str
    value: TensorValue
    event: ParameterRebound


_REBOUND: Final[notes.LoopNote[list[_Rebound]]] = notes.LoopNote(list)


@program_moments.name_bound.on
def name_bound(m: Machine, target: ast.Name, value: TensorValue, node: ast.expr | None) -> None:
    """A parameter is replaced by something made of itself."""
    if node is None or not m.loops:
        return
    old = m.resolve(m.state.get(m.frames[-1].scope, target.id))
    if isinstance(old, TensorValue) and old is not value:
        _parameter_rebound(m, target, old, value, node)


def _parameter_rebound(
    m: Machine, target: ast.Name, old: TensorValue, value: TensorValue, node: ast.expr
) -> None:
    if old.is_parameter and m.requires_grad(old) is False and m.requires_grad(value) is False:
        lost(m, target, node, under_no_grad=True)  # of a copy, which follows the others
        return
    if (
        m.requires_grad(old) is not True
        or m.is_leaf(old) is not True
        or old.symbol is not None
        or lost(m, target, node, under_no_grad=m.requires_grad(value) is False)
        or old.serial >= m.loops[-1].iteration  # a leaf of this iteration: the next one makes its own
    ):
        return
    uses_grad = any(
        isinstance(each, ast.Attribute)
        and each.attr == "grad"
        and isinstance(each.value, ast.Name)
        and each.value.id == target.id
        for each in walk(node)
    )
    if uses_grad:
        # Whether it becomes a leaf again (`w.requires_grad_()`) is seen where the iteration ends.
        event = ParameterRebound(
            m.site(target), m.frame.statement, target.id, node, under_no_grad=m.requires_grad(value) is False
        )
        m.state.set(value, "#rebinds", event)
        _REBOUND.of(m.loops[-1]).append(_Rebound(m.frame.scope, target.id, value, event))


@program_moments.iteration_ended.on
def iteration_ended(m: Machine, loop: LoopFrame) -> None:
    """Between two iterations: what was a leaf before has to be one in the next."""
    for scope, name, value, event in _REBOUND.take(loop):
        kept = m.resolve(m.state.get(scope, name)) is value and m.state.get(value, "retains") is None
        if not kept:
            continue
        if m.requires_grad(value) is False or m.is_leaf(value) is False:
            # The next iteration may well begin with another leaf: it is told where the gradient is missed
            # (torch/tensors/attributes.py). Go on as if it had been updated in place.
            m.state.set(value, "#rebound", event)
            m.state.set(value, "requires_grad", True)
            m.state.set(value, "leaf", True)
            m.state.set(value, "node", None)


def lost(m: Machine, target: ast.Name, node: ast.expr, *, under_no_grad: bool) -> bool:
    """Tell of an update that only the loop's own name gets; the parameter, which the loop was given, stays as it was."""
    loops, statement = m.frame.loops, m.frame.statement
    loop = loops[-1].node if loops else None
    function = m.frame.function
    if not isinstance(loop, ast.For) or statement is None or not isinstance(node, ast.BinOp):
        return False
    if not any(isinstance(each, ast.Name) and each.id == target.id for each in walk(loop.target)):
        return False
    if not any(isinstance(each, ast.Name) and each.id == target.id for each in walk(node)):
        return False
    end = statement.end_lineno or statement.lineno
    if any(line > end for line in _read(loop if function is None else function.node).get(target.id, ())):
        return False
    m.emit(ParameterRebound(m.site(target), statement, target.id, node, under_no_grad, unread=True))
    return True


@of_tree(maxsize=64)
def _read(body: ast.AST) -> dict[str, list[int]]:
    """The lines on which each name is read, but to set an attribute of it."""
    found: dict[str, list[int]] = {}
    written = {
        each.value
        for each in walk(body)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
    }
    for each in walk(body):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each not in written:
            found.setdefault(each.id, []).append(each.lineno)
    return found
