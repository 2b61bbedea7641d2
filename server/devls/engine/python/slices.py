"""Slices that are objects: `part = slice(2, 4)`, `x[part]`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.values.value import NONE, Const, InstanceValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine

SLICE: Final = "builtins.slice"

_NAMES: Final = ("start", "stop", "step")


def construct(m: Machine, call: Invocation) -> object:
    """`slice(stop)`, `slice(start, stop, step)`."""
    if not call.arguments or "*" in call.keywords:
        return m.unknown(call.node)
    given = [NONE, *call.arguments] if len(call.arguments) == 1 else list(call.arguments)
    return made(m, [*given, NONE, NONE][: len(_NAMES)], call.node)


def made(m: Machine, bounds: list[object], node: ast.AST) -> InstanceValue:
    """A slice with these bounds; NONE for those that are left out."""
    instance = InstanceValue(None, SLICE, m.site(node))
    for name, value in zip(_NAMES, bounds, strict=True):
        m.state.set(instance, name, value)
    return instance


def given(m: Machine, node: ast.Subscript) -> object:
    """Argument of `__getitem__` for `[start:stop]`."""
    if not isinstance(node.slice, ast.Slice):
        return m.unknown(node)
    parts = (node.slice.lower, node.slice.upper, node.slice.step)
    return made(m, [NONE if each is None else m.eval(each) for each in parts], node)


def written_out(m: Machine, node: ast.Subscript, index: object) -> ast.Subscript:
    """An item as it would be written if the slices that its index is, or holds, stood there; the same node if there are none."""
    items = index.items if isinstance(index, TupleValue) else (index,)
    values = [m.resolve(each) for each in items]
    if not any(isinstance(each, InstanceValue) and each.library == SLICE for each in values):
        return node
    inner = node.slice
    parts: list[ast.expr] = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner] * len(values)
    if len(parts) != len(values):
        return node
    written = [_part(m, part, value) for part, value in zip(parts, values, strict=True)]
    whole = ast.Tuple(written, ast.Load()) if isinstance(index, TupleValue) else written[0]
    return ast.copy_location(ast.Subscript(node.value, ast.copy_location(whole, inner), node.ctx), node)


def _part(m: Machine, node: ast.expr, value: object) -> ast.expr:
    if not isinstance(value, InstanceValue) or value.library != SLICE:
        return node if value != NONE else ast.copy_location(ast.Constant(None), node)
    bounds = []
    for name in _NAMES:
        bound = m.resolve(m.state.get(value, name, NONE))
        # The bounds are computed already: no number, and nothing to evaluate again.
        shown = ast.Constant(
            bound.value if isinstance(bound, Const) and isinstance(bound.value, int) else ...
        )
        bounds.append(None if bound == NONE else ast.copy_location(shown, node))
    return ast.copy_location(ast.Slice(*bounds), node)
