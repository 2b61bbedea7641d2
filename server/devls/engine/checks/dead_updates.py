"""Parameters that a loop goes through and binds anew, where nobody reads what is bound: `for p in params: p = p - lr * p.grad`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import ParameterRebound
from devls.syntax.nodes import of_tree, walk

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


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
    """The lines on which each name is read."""
    found: dict[str, list[int]] = {}
    for each in walk(body):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            found.setdefault(each.id, []).append(each.lineno)
    return found
