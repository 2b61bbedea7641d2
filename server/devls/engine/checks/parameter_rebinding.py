"""Parameters that a loop replaces instead of changing them in place: `w = w - lr * w.grad`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple

from devls.engine.core import notes, program_moments
from devls.engine.core.events.events import ParameterRebound
from devls.engine.torch.nn.registry import is_unseen_parameter
from devls.syntax.nodes import of_tree, walk
from devls.values.value import Scope, Symbol, TensorValue

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
    unseen = old if isinstance(old, Symbol) else old.symbol if isinstance(old, TensorValue) else None
    if unseen is not None and value.symbol is not unseen and is_unseen_parameter(unseen):
        lost(m, target, node, value, m.as_tensor(unseen))
    elif isinstance(old, TensorValue) and old is not value:
        _parameter_rebound(m, target, old, value, node)


def _parameter_rebound(
    m: Machine, target: ast.Name, old: TensorValue, value: TensorValue, node: ast.expr
) -> None:
    if old.is_parameter and m.requires_grad(old) is False and m.requires_grad(value) is False:
        lost(m, target, node, value, old)  # of a copy, which follows the others
        return
    if (
        m.requires_grad(old) is not True
        or m.is_leaf(old) is not True
        or old.symbol is not None
        or lost(m, target, node, value, old)
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


def lost(m: Machine, target: ast.Name, node: ast.expr, value: TensorValue, old: TensorValue) -> bool:
    """Tell of an update that only the loop's own name gets; the parameter, which the loop was given, stays as it was."""
    loops, statement = m.frame.loops, m.frame.statement
    loop = loops[-1].node if loops else None
    function = m.frame.function
    if not isinstance(loop, ast.For) or statement is None or not _is_computed(node, target.id, value, old):
        return False
    if not any(isinstance(each, ast.Name) and each.id == target.id for each in walk(loop.target)):
        return False
    if not any(isinstance(each, ast.Name) and each.id == target.id for each in walk(node)):
        return False
    if _is_read_after(loop if function is None else function.node, statement, target.id):
        return False
    under_no_grad = m.requires_grad(value) is False
    m.emit(ParameterRebound(m.site(target), statement, target.id, node, under_no_grad, unread=True))
    return True


def _is_computed(node: ast.expr, name: str, value: TensorValue, old: TensorValue) -> bool:
    """Whether an expression leaves what has a name as it was: arithmetic, and methods of it that give numbers of their own."""
    if isinstance(node, ast.BinOp):
        return True
    own = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    shared = value.view_of or value.may_share or value
    return (
        isinstance(own, ast.Name) and own.id == name and shared is value and value.storage is not old.storage
    )


def _is_read_after(tree: ast.AST, statement: ast.stmt, name: str) -> bool:
    """Whether a name is read behind a statement, and not where a later loop has bound it anew."""
    end = _end(statement)
    anew = [
        each
        for each in _loops(tree)
        if _start(each) >= end
        and any(isinstance(part, ast.Name) and part.id == name for part in walk(each.target))
    ]
    later = [place for place in _read(tree).get(name, ()) if place >= end]
    return any(
        not any(_start(each.body[0]) <= place < _end(each.body[-1]) for each in anew) for place in later
    )


def _start(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.stmt) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


@of_tree(maxsize=64)
def _loops(tree: ast.AST) -> tuple[ast.For | ast.AsyncFor, ...]:
    return tuple(each for each in walk(tree) if isinstance(each, (ast.For, ast.AsyncFor)))


@of_tree(maxsize=64)
def _read(body: ast.AST) -> dict[str, list[tuple[int, int]]]:
    """The places where each name is read, but to set an attribute of it."""
    found: dict[str, list[tuple[int, int]]] = {}
    written = {
        each.value
        for each in walk(body)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
    }
    for each in walk(body):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each not in written:
            found.setdefault(each.id, []).append((each.lineno, each.col_offset))
    return found
