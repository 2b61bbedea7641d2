"""Binding names, attributes, items and patterns to values."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import program_moments
from devls.engine.core.joins import Contents
from devls.engine.python import attribute_writes, iteration, names, operators, subscripts
from devls.syntax.recovery import RECEIVER
from devls.values.conditions import Condition, Either
from devls.values.devices import UNKNOWN_DEVICE
from devls.values.graph import Storage
from devls.values.value import (
    ClassValue,
    Const,
    FunctionValue,
    LibraryName,
    ModuleValue,
    Sequence,
    Symbol,
    TensorValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}


def assign(m: Machine, target: ast.expr, value: object, node: ast.expr | None) -> None:
    """Bind a target; `node` is the expression that gave the value, if there is one."""
    if isinstance(target, ast.Name):
        if type(value) is TensorValue:
            program_moments.name_bound(m, target, value, node)
        names.bind(m, target.id, value)
        if m.recorded is not None and m.frame.source is m.recorded:
            m.remember(target, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(m, target.elts, value, node)
    elif isinstance(target, ast.Starred):
        assign(m, target.value, value, None)
    elif isinstance(target, ast.Attribute):
        owner = m.eval(target.value)
        attribute_writes.set_attribute(m, target, owner, target.attr, value, node)
    elif isinstance(target, ast.Subscript):
        owner = m.eval(target.value)
        subscripts.set_item(m, target, owner, value, node)


def _unpack(m: Machine, targets: list[ast.expr], value: object, node: ast.expr | None) -> None:
    value = m.resolve(value)
    if isinstance(value, Either):
        # (a, b) on one path and something else on another: unpack each, join the parts.
        parts = [_parts(m, each, len(targets), node) for each in (value.then, value.otherwise)]
        starred = any(isinstance(target, ast.Starred) for target in targets)
        for index, target in enumerate(targets):
            joined = (
                m.unknown() if starred else m.select(_test(value.condition), parts[0][index], parts[1][index])
            )
            assign(m, target, joined, None)
        return
    items = iteration.items(m, value, node)
    star = next((i for i, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    ends = m.state.get(value, "#parts") if isinstance(value, Symbol) else None
    if isinstance(ends, iteration.Parts):
        spread = (
            ends.unpacked(m, len(targets)) if star is None else ends.around(m, star, len(targets) - star - 1)
        )
        for target, item in zip(targets, spread, strict=False):
            assign(m, target.value if isinstance(target, ast.Starred) else target, item, None)
        return
    if star is not None:
        if items is None:
            rest = m.new_list((), targets[star])
            m.state.set(rest, "#items", Contents(None, iteration.element(m, value, node, 0)))
            for index, target in enumerate(targets):
                assign(
                    m,
                    target,
                    rest if index == star else iteration.component(m, value, node, index, len(targets)),
                    None,
                )
            return
        after = len(targets) - star - 1
        middle = items[star : len(items) - after]
        spread = [*items[:star], m.new_list(tuple(middle), targets[star]), *items[len(items) - after :]]
        for target, item in zip(targets, spread, strict=False):
            assign(m, target, item, None)
        return
    nodes: list[ast.expr | None] = [None] * len(targets)
    if isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == len(targets):
        nodes = list(node.elts)
    for index, target in enumerate(targets):
        if items is not None and index < len(items):
            item = items[index]
        else:
            item = iteration.component(m, value, node, index, len(targets))
        assign(m, target, item, nodes[index])


def _test(condition: Condition) -> object:
    return Either(condition, True, False)


def _parts(m: Machine, value: object, count: int, node: ast.expr | None) -> list[object]:
    value = m.resolve(value)
    items = iteration.items(m, value, node)
    if items is not None and len(items) == count:
        return list(items)
    return [iteration.component(m, value, node, index, count) for index in range(count)]


def augment(m: Machine, node: ast.AugAssign) -> None:
    """`target op= value`: in place on tensors, lists and sets; a rebinding of everything else."""
    target = node.target
    name = OPERATORS.get(type(node.op), "")
    if isinstance(target, ast.Name):
        before = m.eval(ast.copy_location(ast.Name(target.id, ast.Load()), target))
    else:
        loaded = _as_load(target)
        before = m.eval(loaded)
    value = m.eval(node.value)
    resolved = m.resolve(before)
    tensor = resolved if isinstance(resolved, TensorValue) else None
    if isinstance(resolved, Sequence) and resolved.kind in ("list", "set") and name in ("add", "or"):
        program_moments.stored(m, node, resolved, value, node.value)
        _extend(m, resolved, value, node.value)
        return
    program_moments.augmenting(m, node, before, value)
    if tensor is not None or (
        isinstance(resolved, Either) and m.tensor_of(resolved, infer=False) is not None
    ):
        result = operators.binary(m, node, f"__i{name}__", target, before, node.value, value)
    else:
        result = operators.binary(m, node, f"__{name}__", target, before, node.value, value)
    if isinstance(target, ast.Name):
        names.bind(m, target.id, result)
        if m.recorded is not None and m.frame.source is m.recorded:
            m.remember(target, result)
    elif isinstance(target, ast.Attribute):
        owner = m.eval(target.value)
        if _counts(m, resolved, result):
            result = Symbol(("counter", m.fresh_number()), m.text(target), hint="number")
        if result is not resolved:
            attribute_writes.set_attribute(m, target, owner, target.attr, result, None, augmented=True)
    elif isinstance(target, ast.Subscript):
        owner = m.eval(target.value)
        owned = m.tensor_of(owner, infer=False)
        if owned is None:
            subscripts.set_item(m, target, owner, result, None)


def _counts(m: Machine, before: object, after: object) -> bool:
    """Whether an attribute is counted by a loop, which may be around the running call: no iteration has one number.

    Of names the loop itself knows (loops.py).
    """
    return (
        isinstance(before, Const)
        and isinstance(after, Const)
        and isinstance(after.value, (int, float))
        and any(not each.exact for each in m.loops)
    )


def _as_load(target: ast.Attribute | ast.Subscript) -> ast.expr:
    if isinstance(target, ast.Attribute):
        return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)


def _extend(m: Machine, target: Sequence, value: object, node: ast.expr) -> None:
    contents = m.state.get(target, "#items")
    more = iteration.items(m, value, node)
    if isinstance(contents, Contents) and contents.items is not None and more is not None:
        m.state.set(target, "#items", Contents((*contents.items, *more), contents.element))
    elif isinstance(contents, Contents):
        element = iteration.element(m, value, node, 0)
        m.state.set(
            target, "#items", Contents(None, m.any_of((*(contents.items or ()), contents.element, element)))
        )


_LASTING = (LibraryName, ModuleValue, ClassValue, FunctionValue)


def forget(m: Machine, node: ast.Expr, changed: list[str]) -> None:
    """Let all be unknown from here on that a statement which does not parse may have changed."""
    recorded, m.recorded = m.recorded, None  # all its names have one place, and nobody points at them
    try:
        _forget(m, node, changed)
    finally:
        m.recorded = recorded


def _forget(m: Machine, node: ast.Expr, changed: list[str]) -> None:
    among = frozenset(changed)
    for each in changed:
        written = each.removesuffix(RECEIVER)
        called = written + RECEIVER in among
        if called and written in among and written is not each:
            continue
        before = m.resolve(m.eval(_dotted(written, node, ast.Load()))) if called else None
        # Methods of tensors give others; a library has no state of this kind.
        if written is not each and isinstance(before, (*_LASTING, TensorValue)):
            continue
        target = _dotted(written, node, ast.Store())
        if isinstance(target, ast.Attribute):
            owner = m.resolve(m.eval(target.value))
            if isinstance(owner, (*_LASTING, TensorValue)):
                continue
        assign(m, target, _left_by(m, written, before), None)


def _left_by(m: Machine, written: str, before: object) -> object:
    """The value of a name behind such a statement: the result of a tensor's own method is another tensor, nearly always."""
    after = Symbol(("unknown", m.fresh_number()), written)
    if not isinstance(before, TensorValue):
        return after
    if m.requires_grad(before) is not False:
        return Symbol(after.key, written, hint="tensor")
    return TensorValue(device=UNKNOWN_DEVICE, requires_grad=False, leaf=True, storage=Storage(), symbol=after)


def _dotted(written: str, node: ast.Expr, context: ast.expr_context) -> ast.Name | ast.Attribute:
    """The nodes of a dotted name, at the place of the statement."""
    root, *rest = written.split(".")
    found: ast.Name | ast.Attribute = ast.copy_location(ast.Name(root, ast.Load()), node)
    for each in rest:
        found = ast.copy_location(ast.Attribute(found, each, ast.Load()), node)
    found.ctx = context
    return found
