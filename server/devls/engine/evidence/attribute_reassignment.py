"""Attributes that a class puts something else into than its constructor did, as its code says."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.syntax.nodes import of_kind, of_tree, walk

if TYPE_CHECKING:
    from devls.syntax.source import Source


@of_tree(maxsize=256)
def moved_by_hand(code: ast.AST) -> frozenset[str]:
    """Attributes that a class, or a method, replaces by themselves, moved: `self.x = self.x.to(device)`."""
    return frozenset(
        target.attr
        for each in of_kind(code, ast.Assign)
        if isinstance(each.value, ast.Call)
        and isinstance(each.value.func, ast.Attribute)
        and each.value.func.attr in ("to", "cuda", "type_as")
        for target in each.targets
        if isinstance(target, ast.Attribute)
        and ast.dump(target.value) == _owner_of(each.value.func.value, target.attr)
    )


@of_tree(maxsize=256)
def moved_by_methods(cls: ast.ClassDef, source: Source) -> frozenset[str]:
    """Those that a method other than the constructor replaces so: an own `to` that moves what is not registered."""
    methods = (
        each
        for each in cls.body
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
        and each.name != "__init__"
        and source.mentions(each, ".to", ".cuda", ".type_as")
    )
    return frozenset[str]().union(*(moved_by_hand(each) for each in methods))


@of_tree(maxsize=256)
def replaced_later(cls: ast.ClassDef) -> frozenset[str]:
    """Attributes that a method other than the constructor puts something of its own into: `self.x = x`, `self.x += y`."""
    found: set[str] = set()
    for method in cls.body:
        if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) or method.name == "__init__":
            continue
        spec = method.args
        own = {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)} - {"self"}
        nodes = walk(method)
        own |= {each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        for each in nodes:
            if isinstance(each, ast.AugAssign):
                found |= _of_self([each.target])
            elif isinstance(each, ast.Assign):
                names = _of_self(each.targets)
                if names and any(isinstance(one, ast.Name) and one.id in own for one in walk(each.value)):
                    found |= names
    return frozenset(found)


def _of_self(targets: list[ast.expr]) -> set[str]:
    """The attributes of `self` among some targets."""
    return {
        one.attr
        for target in targets
        for one in (target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target])
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "self"
    }


def _owner_of(node: ast.expr, attribute: str) -> str:
    return ast.dump(node.value) if isinstance(node, ast.Attribute) and node.attr == attribute else ""
