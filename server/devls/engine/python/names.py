"""Names: how they are bound, and which of them a piece of code binds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.syntax.nodes import nodes_of, of_kind, of_tree

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import Scope


def bind(m: Machine, name: str, value: object) -> None:
    """Bind a name in the scope that Python would bind it in."""
    scope: Scope | None = m.frames[-1].scope
    assert scope is not None  # noqa: S101  for the type checker
    if not scope.redirects:
        pass
    elif m.state.get(scope, f"global {name}"):
        scope = scope.globals
    elif m.state.get(scope, f"nonlocal {name}"):
        scope = scope.parent
        while scope is not None and name not in scope.names and scope.parent is not None:
            scope = scope.parent
    if scope is None:
        return
    scope.names.add(name)
    m.state.set(scope, name, value)


@of_tree(maxsize=256)
def assigned_names(node: ast.AST) -> set[str]:
    """All names that are bound somewhere inside, functions apart."""
    return {each.id for each in of_kind(node, ast.Name) if isinstance(each.ctx, ast.Store)}


@of_tree(maxsize=256)
def augmented_names(node: ast.AST) -> set[str]:
    """All names that some augmented assignment inside binds."""
    return {each.target.id for each in of_kind(node, ast.AugAssign) if isinstance(each.target, ast.Name)}


@of_tree(maxsize=64)
def given_to(cls: ast.AST) -> dict[str, set[str]]:
    """The callees in a class with each attribute of `self` among their arguments: the last part of the name."""
    found: dict[str, set[str]] = {}
    for each in nodes_of(cls):
        if not (isinstance(each, ast.Call) and isinstance(each.func, (ast.Name, ast.Attribute))):
            continue
        callee = each.func.id if isinstance(each.func, ast.Name) else each.func.attr
        for argument in each.args:
            for part in nodes_of(argument):
                if (
                    isinstance(part, ast.Attribute)
                    and isinstance(part.value, ast.Name)
                    and part.value.id == "self"
                ):
                    found.setdefault(part.attr, set()).add(callee)
    return found
