"""Operators of tensors and of plain values."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import library_semantics, priors, program_moments
from devls.engine.core.joins import Contents, Entries
from devls.engine.python import calls, classes, constant_folding, iteration, mappings, narrowing, strings
from devls.values.conditions import Either, leaves
from devls.values.value import (
    Const,
    InstanceValue,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from typing import TypeGuard

    from devls.engine.core.machine import Machine


def binary(
    m: Machine,
    node: ast.expr | ast.stmt,
    method: str,
    left_node: ast.expr,
    left: object,
    right_node: ast.expr,
    right: object,
) -> object:
    """`left op right`, and whether it scaled something."""
    result = _binary(m, node, method, left_node, left, right_node, right)
    program_moments.operator_applied(m, method, result, left, right)
    if type(result) is Symbol:
        library_semantics.number_computed(m, result, left, right)
    return result


def _binary(
    m: Machine,
    node: ast.expr | ast.stmt,
    method: str,
    left_node: ast.expr,
    left: object,
    right_node: ast.expr,
    right: object,
) -> object:
    """`left op right`: tensors through the catalog, constants folded, the rest unknown."""
    if type(left) is Either or type(left) is Symbol:
        left = m.resolve(left)
    if type(right) is Either or type(right) is Symbol:
        right = m.resolve(right)
    if isinstance(left, Const) and isinstance(right, Const):
        folded = constant_folding.binary(method, left.value, right.value)
        if folded is not None:
            return folded
    if isinstance(left, Const) and isinstance(left.value, str):
        text = strings.combined(m, method, left.value, right, node)
        if text is not None:
            return text
    for each in (left, right):
        if isinstance(each, Either) and not method.startswith("__i") and _worth_each(m, method, each):
            return m.branch(
                Either(each.condition, True, False),
                lambda: _binary(m, node, method, left_node, left, right_node, right),
                lambda: _binary(m, node, method, left_node, left, right_node, right),
            )
    program_moments.operands_met(m, node, ((left, left_node), (right, right_node)))
    a, b = m.tensor_of(left, infer=False), m.tensor_of(right, infer=False)
    if (a is None and b is None) or isinstance(left, Sequence) or isinstance(right, Sequence):
        # Torch takes no lists here: what meets one is a list as well, whatever it was presumed to be.
        return _without_tensors(m, node, method, left_node, left, right_node, right)
    if a is None and isinstance(left, InstanceValue) and left.cls is not None:
        return _without_tensors(m, node, method, left_node, left, right_node, right)
    return library_semantics.combine_tensors(m, node, method, (left_node, left, a), (right_node, right, b))


def is_number(value: object) -> bool:
    """Whether a value that is not known is a Python number at any rate."""
    return all(
        isinstance(each, Const) or (isinstance(each, Symbol) and each.hint in ("number", "string", "bool"))
        for each in leaves(value)
    )


def _worth_each(m: Machine, method: str, value: Either) -> bool:
    """Whether each side of a test is computed by itself.

    Of a tensor on one side and a number on the other, so is what comes of it; of two lists, items are known one by one.
    """
    sides = (m.resolve(value.then), m.resolve(value.otherwise))
    if method == "__add__" and all(isinstance(each, (Sequence, TupleValue)) for each in sides):
        return True
    return any(isinstance(each, TensorValue) for each in sides) and any(map(is_number, sides))


def _without_tensors(
    m: Machine,
    node: ast.expr | ast.stmt,
    method: str,
    left_node: ast.expr,
    left: object,
    right_node: ast.expr,
    right: object,
) -> object:
    for value, name in ((left, method), (right, method.replace("__", "__r", 1))):
        if isinstance(value, InstanceValue):
            found = classes.method_of(m, value, name)
            if found is not None:
                other = right if value is left else left
                return calls.call(m, found, [other], {}, node if isinstance(node, ast.expr) else None)
    if (
        isinstance(left, (Sequence, TupleValue))
        and isinstance(right, (Sequence, TupleValue))
        and "add" in method
    ):
        items_a, items_b = iteration.items(m, left, left_node), iteration.items(m, right, right_node)
        if items_a is not None and items_b is not None:
            both_ = (*items_a, *items_b)
            return m.new_tuple(both_) if isinstance(left, TupleValue) else m.new_list(both_, left_node)
        return _joined(m, left, left_node, items_a, right, right_node, items_b)
    if isinstance(left, Sequence) and "mul" in method:
        return _repeated(m, left, right, left_node)
    if isinstance(left, Mapping) and "or" in method:
        return _merged(m, method, left, right, left_node)
    for value in (left, right):
        if isinstance(value, Symbol) and priors.is_in_tensors(m, value):
            return _inferred(m, node, method, left_node, left, right_node, right)
    if _is_numeric(left) and _is_numeric(right):
        named = all(isinstance(each, Const) or each.named for each in (left, right))
        return Symbol(
            (method, narrowing.key_of(m, left), narrowing.key_of(m, right)),
            "a number",
            hint="number",
            named=named,
        )
    if isinstance(left, InstanceValue) or isinstance(right, InstanceValue):
        array = library_semantics.combine_arrays(m, node, left, right)
        if array is not None:
            return array
    # One of several numbers is a number as well, although we cannot say which.
    several = all(_is_arithmetic(leaf) for each in (left, right) for leaf in leaves(each))
    hint = "number" if several else ""
    return Symbol(("operator", m.fresh_number()), m.text(node), site=m.site(node), hint=hint)


def _is_numeric(value: object) -> TypeGuard[Const | Symbol]:
    return isinstance(value, Const) or (isinstance(value, Symbol) and value.hint == "number")


def _joined(
    m: Machine,
    left: object,
    left_node: ast.expr,
    items_a: list[object] | None,
    right: object,
    right_node: ast.expr,
    items_b: list[object] | None,
) -> Sequence:
    """`[first] + rest`, where what is in one of the two is not known item by item."""
    result = m.new_list((), left_node)
    if items_a is not None:
        m.state.set(result, "#items", Contents(tuple(items_a), iteration.element(m, right, right_node, 0)))
    else:
        first = iteration.element(m, left, left_node, 0)
        others = items_b if items_b is not None else [iteration.element(m, right, right_node, 0)]
        m.state.set(result, "#items", Contents(None, m.any_of((first, *others))))
    return result


def _merged(m: Machine, method: str, left: Mapping, right: object, node: ast.expr) -> Mapping:
    """`left | right` of dictionaries: what is in the right one comes last, and stays."""
    result = left if method.startswith("__i") else m.new_dict({}, node)
    ours = m.state.get(left, "#entries")
    theirs = m.state.get(right, "#entries") if isinstance(right, Mapping) else None
    if isinstance(ours, Entries) and isinstance(theirs, Entries):
        m.state.set(result, "#entries", mappings.overlaid(m, ours, theirs))
    else:
        m.state.set(result, "#entries", Entries({}, m.unknown(node)))
    return result


def _is_arithmetic(value: object) -> bool:
    if isinstance(value, Const):
        return isinstance(value.value, (int, float))
    return isinstance(value, Symbol) and value.hint == "number"


def _repeated(m: Machine, left: Sequence, times: object, node: ast.expr) -> object:
    """`[item] * n`."""
    contents = m.state.get(left, "#items")
    if not isinstance(contents, Contents):
        return left
    whole = contents.items is not None and contents.element is None
    if (
        whole
        and contents.items
        and isinstance(times, Const)
        and isinstance(times.value, int)
        and times.value * len(contents.items) <= 64
    ):
        return m.new_list(contents.items * max(0, times.value), node)
    result = m.new_list((), node)
    m.state.set(result, "#items", Contents(None, m.any_of((*(contents.items or ()), contents.element))))
    if m.state.get(left, "#holds modules") is not None:
        m.state.set(result, "#holds modules", value=True)
    return result


def _inferred(
    m: Machine,
    node: ast.expr | ast.stmt,
    method: str,
    left_node: ast.expr,
    left: object,
    right_node: ast.expr,
    right: object,
) -> object:
    def known(value: object) -> object:
        return m.as_tensor(value) if isinstance(value, Symbol) and priors.is_in_tensors(m, value) else value

    return binary(m, node, method, left_node, known(left), right_node, known(right))


def unary(m: Machine, node: ast.expr, method: str, operand_node: ast.expr, value: object) -> object:
    """`-x`, `+x`, `~x`."""
    tensor = m.tensor_of(value, infer=isinstance(value, Symbol) and priors.is_in_tensors(m, value))
    if tensor is None:
        if isinstance(value, Symbol):
            result = Symbol((method, value.key), f"-{value.text}", hint=value.hint, named=value.named)
            library_semantics.number_computed(m, result, value)
            return result
        return m.unknown(node)
    return library_semantics.negate_tensor(m, node, method, operand_node, tensor)
