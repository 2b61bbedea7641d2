"""Places for a fix of mixed devices, and its text there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import Operand
from devls.engine.evidence import device_expressions
from devls.syntax.nodes import walk
from devls.values.conditions import Either, leaves
from devls.values.history import Site
from devls.values.value import NONE, InstanceValue, Mapping, Sequence, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


def part_of(m: Machine, stray: Operand) -> str:
    """Kind of the expression that holds the stray, as the two states of an LSTM, or a value that may be None."""
    if isinstance(stray.node, ast.Attribute) and isinstance(stray.node.value, ast.Name):
        owner = m.resolve(m.state.get(m.frames[-1].scope, stray.node.value.id))
        kept = m.resolve(m.state.get(owner, stray.node.attr)) if isinstance(owner, InstanceValue) else None
        return "none" if isinstance(kept, Either) and NONE in leaves(kept) else ""
    name = stray.node.id if isinstance(stray.node, ast.Name) else ""
    value = m.resolve(m.state.get(m.frames[-1].scope, name)) if name else None
    if isinstance(value, TupleValue):
        return "tuple"
    return "list" if isinstance(value, Sequence) else "dict" if isinstance(value, Mapping) else ""


def read_by_caller(m: Machine, owner: object, attribute: str) -> Site | None:
    """Reads of attributes of its own in a method that is waiting for the running function."""
    for frame in m.frames[:-1]:
        if frame.receiver is not owner or frame.function is None:
            continue
        for each in walk(frame.function.node):
            if isinstance(each, ast.Attribute) and each.attr == attribute and isinstance(each.ctx, ast.Load):
                return Site(frame.source, each, frame.calls)
    return None


def where_created(m: Machine, anchor: Operand, creation: ast.Call) -> str:
    """An expression for the anchor's device at a call, which may stand above the running function."""
    function = m.frames[-1].function
    here = device_expressions.on_self(m, anchor, creation)
    if here:
        return here
    if function is None or function.node.lineno <= creation.lineno <= (function.node.end_lineno or 0):
        return device_expressions.expression_for(m, anchor, creation.lineno, strict=True)
    inner, m.frames = m.frames, m.frames[:1]
    try:
        if m.frame.source is not inner[-1].source:
            return ""
        unnamed = Operand(None, anchor.tensor, anchor.device, anchor.text)
        return device_expressions.expression_for(m, unnamed, creation.lineno, strict=True)
    finally:
        m.frames = inner


def is_written(node: ast.AST, operation: str, stray: Operand) -> bool:
    """Whether the operation writes to the stray, so that a copy of it would be no help."""
    if isinstance(node, ast.AugAssign):
        return stray.node is node.target
    if stray.parameter == "out":
        return True
    short = operation.rpartition(".")[2]
    return (
        short.endswith("_")
        and not short.startswith("_")
        and isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.value is stray.node
    )
