"""Tests that tell the last round of a loop from the others: `if i < n - 1`, in `for i in range(n)`.

What such a round does meets no further one. It is read off the code, because what a loop counts to is seldom known.
"""

from __future__ import annotations

import ast

from devls.syntax.nodes import of_tree, walk

_BEFORE = (ast.Lt, ast.NotEq)
_LAST = (ast.Eq, ast.GtE)


@of_tree(maxsize=256)
def tests(node: ast.For | ast.AsyncFor | ast.While) -> dict[ast.If, bool]:
    """The `if` statements of a loop's body that ask for its last round, with the answer that the last one gives."""
    counted = _counted(node)
    if counted is None:
        return {}
    found: dict[ast.If, bool] = {}
    for statement in node.body:
        for each in walk(statement):
            if isinstance(each, ast.If) and isinstance(each.test, ast.Compare):
                answer = _answer(each.test, *counted)
                if answer is not None:
                    found[each] = answer
    return found


def _counted(node: ast.For | ast.AsyncFor | ast.While) -> tuple[str, str] | None:
    """The name that counts the rounds, and what their number is, as code."""
    if not isinstance(node, ast.For) or not isinstance(node.iter, ast.Call):
        return None
    called, given = node.iter.func, node.iter.args
    if not isinstance(called, ast.Name) or node.iter.keywords or not given:
        return None
    if called.id == "range" and len(given) < 3 and isinstance(node.target, ast.Name):
        return node.target.id, ast.dump(given[-1])
    if called.id == "enumerate" and len(given) == 1 and isinstance(node.target, ast.Tuple):
        first = node.target.elts[0]
        length = ast.Call(ast.Name("len", ast.Load()), [given[0]], [])
        return (first.id, ast.dump(length)) if isinstance(first, ast.Name) else None
    return None


def _answer(test: ast.Compare, name: str, count: str) -> bool | None:
    """Whether a comparison is true in the last round, and in no other, or the other way round; None for all others."""
    if len(test.ops) != 1 or not isinstance(test.ops[0], (*_BEFORE, *_LAST)):
        return None
    left, right = _apart(test.left), _apart(test.comparators[0])
    if not isinstance(left[0], ast.Name) or left[0].id != name or ast.dump(right[0]) != count:
        return None
    # `i + 1 == n` and `i == n - 1` are one.
    return isinstance(test.ops[0], _LAST) if left[1] - right[1] == 1 else None


def _apart(node: ast.expr) -> tuple[ast.expr, int]:
    """`n - 1` as `n` and -1."""
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and type(node.right.value) is int:
        if isinstance(node.op, ast.Add):
            return node.left, node.right.value
        if isinstance(node.op, ast.Sub):
            return node.left, -node.right.value
    return node, 0
