"""Code for two kinds of data: a test, or a handler, says where there are arrays and where there are tensors.

    if self.on_device:                      try:
        x = torch.clip(x, -1, 1)                y = torch.log(x)
    else:                                   except TypeError:
        x = np.clip(x, -1, 1)                   y = np.log(x)

What the test asks is out of sight (an option, mostly). But whoever writes both sides gives numpy what torch would not take.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.syntax.layout import ancestors
from devls.syntax.nodes import nodes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.syntax.source import Source


def is_meant(source: Source, node: ast.expr) -> bool:
    """Whether a call of numpy stands on one side, and one of torch that takes the same on the other."""
    given = _paths(node)
    inner: ast.AST = node
    for outer in ancestors(source, node):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return False
        if any(_gives_torch(source, each, given) for each in _other_side(outer, inner)):
            return True
        inner = outer
    return False


def _other_side(outer: ast.AST, inner: ast.AST) -> Iterable[ast.AST]:
    """What is run where `inner`, a part of `outer`, is not, or was given up for it."""
    if isinstance(outer, ast.If) and inner is not outer.test:
        return outer.body if inner in outer.orelse else outer.orelse
    if isinstance(outer, ast.IfExp) and inner is not outer.test:
        return [outer.body if inner is outer.orelse else outer.orelse]
    if isinstance(outer, ast.Try) and inner in outer.handlers:
        return outer.body
    return ()


def _gives_torch(source: Source, side: ast.AST, given: frozenset[str]) -> bool:
    return source.mentions(side, "torch.") and any(
        isinstance(each, ast.Call) and _is_of_torch(each.func) and given & _paths(each)
        for each in nodes_of(side)
    )


def _is_of_torch(function: ast.expr) -> bool:
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name) and function.id == "torch"


def _paths(node: ast.AST) -> frozenset[str]:
    """The names and attributes that are read in an expression, but for the functions that are called: `x`, `self.mean`."""
    found, waiting = set[str](), [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (ast.Name, ast.Attribute)):
            found.add(ast.unparse(each))
        elif isinstance(each, ast.Call):
            waiting += [*each.args, *(keyword.value for keyword in each.keywords)]
            if isinstance(each.func, ast.Attribute) and not _is_module(each.func.value):
                waiting.append(each.func.value)
        else:
            waiting += ast.iter_child_nodes(each)
    return frozenset(found)


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "numpy", "torch")
