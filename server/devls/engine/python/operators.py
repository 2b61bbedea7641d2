"""Operators of tensors and of plain values."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import program_moments
from devls.engine.evidence import argument_facts, batch_provenance
from devls.engine.python import constant_folding, mappings
from devls.engine.torch.autograd import graph_construction
from devls.engine.torch.tensors import device_check, host, operations, writes
from devls.library.effects import Role
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

    from devls.engine.core.events.events import Operand
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
    host.passed_on(m, result, left, right)
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
    left, right = m.resolve(left), m.resolve(right)
    if isinstance(left, Const) and isinstance(right, Const):
        folded = constant_folding.binary(method, left.value, right.value)
        if folded is not None:
            return folded
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
    operation = m.library.operation(f"torch.Tensor.{method}")
    if operation is None:
        return m.unknown(node)
    anchor_node = node if isinstance(node, ast.expr) else left_node
    operands: list[tuple[Role, Operand]] = []
    exact = "matmul" in method
    open_operands = False
    names = ("input", "other")
    parameters = [each.name for each in operation.parameters]
    if len(parameters) >= 2:
        names = (parameters[0], parameters[1])
    for tensor, value, side, name in ((a, left, left_node, names[0]), (b, right, right_node, names[1])):
        found = tensor
        if (
            found is None
            and isinstance(value, Symbol)
            and (batch_provenance.in_tensors(m, value) or m.state.get(value, "has shape") is True)
        ):
            # What has a shape and meets a tensor is one.
            found = m.as_tensor(value)
        if found is not None:
            operands.append(
                (Role.EXACT if exact else Role.ELEMENT, device_check.operand(m, found, side, name))
            )
        elif isinstance(value, (Symbol, Either)):
            open_operands = open_operands or not operations.is_number(value)
            beside = b if value is left else a
            if beside is not None and isinstance(value, Symbol):
                argument_facts.beside_data(m, value, beside)
        elif isinstance(value, InstanceValue) and not value.library.startswith("numpy"):
            open_operands = True
    if a is not None and host.mixed_with_array(
        m, anchor_node, method, device_check.operand(m, a, left_node), right
    ):
        return m.unknown(node)
    given: dict[str, object] = {"self": left, "other": right, "input": left, names[0]: left, names[1]: right}
    if method.startswith("__i") and method not in ("__invert__", "__index__", "__int__") and a is not None:
        device_check.check(m, node, method, graph_construction.first_exact(operands))
        needs, _ = graph_construction.needs_grad(
            m, operation, [each.tensor for _, each in operands], open_operands=open_operands
        )
        target = next((each for _, each in operands if each.tensor is a), operands[0][1])
        return writes.written(
            m,
            anchor_node,
            method,
            target,
            operation,
            operands,
            needs,
            graph_construction.saved_names(m, operation, operands),
        )
    return operations.compute(
        m, operation, anchor_node, operands, given, open_operands=open_operands, complete=not open_operands
    )


def _worth_each(m: Machine, method: str, value: Either) -> bool:
    """Whether each side of a test is computed by itself.

    Of a tensor on one side and a number on the other, so is what comes of it; of two lists, items are known one by one.
    """
    sides = (m.resolve(value.then), m.resolve(value.otherwise))
    if method == "__add__" and all(isinstance(each, (Sequence, TupleValue)) for each in sides):
        return True
    return any(isinstance(each, TensorValue) for each in sides) and any(map(operations.is_number, sides))


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
            from devls.engine.python import calls  # noqa: PLC0415  a cycle otherwise

            found = calls.method_of(m, value, name)
            if found is not None:
                other = right if value is left else left
                return calls.call(m, found, [other], {}, node if isinstance(node, ast.expr) else None)
    if (
        isinstance(left, (Sequence, TupleValue))
        and isinstance(right, (Sequence, TupleValue))
        and "add" in method
    ):
        from devls.engine.python import iteration  # noqa: PLC0415  a cycle otherwise

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
        if isinstance(value, Symbol) and batch_provenance.in_tensors(m, value):
            return _inferred(m, node, method, left_node, left, right_node, right)
    if _is_numeric(left) and _is_numeric(right):
        named = all(isinstance(each, Const) or each.named for each in (left, right))
        from devls.engine.python.narrowing import key_of  # noqa: PLC0415  one use

        return Symbol((method, key_of(m, left), key_of(m, right)), "a number", hint="number", named=named)
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
    from devls.engine.core.joins import Contents  # noqa: PLC0415  one use
    from devls.engine.python import iteration  # noqa: PLC0415  a cycle otherwise

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
    from devls.engine.core.joins import Entries  # noqa: PLC0415  one use

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
    from devls.engine.core.joins import Contents  # noqa: PLC0415  one use

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
        return (
            m.as_tensor(value)
            if isinstance(value, Symbol) and batch_provenance.in_tensors(m, value)
            else value
        )

    return binary(m, node, method, left_node, known(left), right_node, known(right))


def unary(m: Machine, node: ast.expr, method: str, operand_node: ast.expr, value: object) -> object:
    """`-x`, `+x`, `~x`."""
    tensor = m.tensor_of(value, infer=isinstance(value, Symbol) and batch_provenance.in_tensors(m, value))
    if tensor is None:
        if isinstance(value, Symbol):
            result = Symbol((method, value.key), f"-{value.text}", hint=value.hint, named=value.named)
            host.passed_on(m, result, value)
            return result
        return m.unknown(node)
    operation = m.library.operation(f"torch.Tensor.{method}")
    if operation is None:
        return m.unknown(node)
    name = operation.parameters[0].name if operation.parameters else "input"
    return operations.compute(
        m, operation, node, [(Role.ELEMENT, device_check.operand(m, tensor, operand_node, name))], {}
    )
