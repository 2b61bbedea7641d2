"""Operators with tensors among their operands: `a @ b`, `x += 1`, `-x`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import library_semantics, priors, program_moments
from devls.engine.python import operators
from devls.engine.torch.autograd import graph_construction
from devls.engine.torch.tensors import device_check, host, operations, writes
from devls.library.effects import Role
from devls.values.conditions import Either
from devls.values.value import Const, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.events.events import Operand
    from devls.engine.core.library_semantics import Side
    from devls.engine.core.machine import Machine
    from devls.library.effects import Operation

    Operands = list[tuple[Role, Operand]]


@library_semantics.combine_tensors.answer
def binary(m: Machine, node: ast.expr | ast.stmt, method: str, left: Side, right: Side) -> object:
    """`left op right`, as the catalog describes it."""
    operation = m.library.operation(f"torch.Tensor.{method}")
    if operation is None:
        return m.unknown(node)
    left_node, first, tensor = left
    anchor_node = node if isinstance(node, ast.expr) else left_node
    names = ("input", "other")
    parameters = [each.name for each in operation.parameters]
    if len(parameters) >= len(names):
        names = (parameters[0], parameters[1])
    operands, open_operands = _operands(m, method, left, right, names)
    if tensor is not None and host.mixed_with_array(m, anchor_node, tensor, left_node, right[1]):
        return m.unknown(node)
    if (
        method.startswith("__i")
        and method not in ("__invert__", "__index__", "__int__")
        and tensor is not None
    ):
        return _in_place(
            m, node, anchor_node, method, operation, tensor, operands, open_operands=open_operands
        )
    given: dict[str, object] = {
        "self": first, "other": right[1], "input": first, names[0]: first, names[1]: right[1],
    }  # fmt: skip
    return operations.compute(
        m, operation, anchor_node, operands, given, open_operands=open_operands, complete=not open_operands
    )


def _operands(
    m: Machine, method: str, left: Side, right: Side, names: tuple[str, str]
) -> tuple[Operands, bool]:
    """The operands that are tensors, and whether there is one of which nobody knows if it is."""
    operands: Operands = []
    role = Role.EXACT if "matmul" in method else Role.ELEMENT
    open_operands = False
    for (node, value, tensor), name, other in ((left, names[0], right), (right, names[1], left)):
        found = tensor
        if (
            found is None
            and isinstance(value, Symbol)
            and (
                (role is Role.EXACT and other[2] is not None)
                or priors.is_in_tensors(m, value)
                or m.state.get(value, "has shape") is True
            )
        ):
            # A value with a shape that meets a tensor is one; and torch multiplies matrices with tensors only.
            found = m.as_tensor(value)
        if found is not None:
            operands.append((role, device_check.operand(m, found, node, name)))
        elif isinstance(value, (Symbol, Either)):
            open_operands = open_operands or not operators.is_number(value)
            beside = other[2]
            if beside is not None and isinstance(value, Symbol):
                program_moments.met_tensor(m, value, beside)
        elif isinstance(value, InstanceValue) and not value.library.startswith("numpy"):
            open_operands = True
    return operands, open_operands


def _in_place(
    m: Machine,
    node: ast.expr | ast.stmt,
    anchor_node: ast.expr,
    method: str,
    operation: Operation,
    tensor: TensorValue,
    operands: Operands,
    *,
    open_operands: bool,
) -> object:
    """`tensor op= other`: the memory of the tensor is written."""
    device_check.check(m, node, method, graph_construction.first_exact(operands))
    needs, _ = graph_construction.needs_grad(
        m, operation, [each.tensor for _, each in operands], open_operands=open_operands
    )
    target = next((each for _, each in operands if each.tensor is tensor), operands[0][1])
    saved = graph_construction.saved_names(m, operation, operands)
    return writes.written(m, anchor_node, method, target, operation, operands, needs, saved)


@library_semantics.negate_tensor.answer
def unary(m: Machine, node: ast.expr, method: str, operand_node: ast.expr, tensor: TensorValue) -> object:
    """`-x`, `+x`, `~x`."""
    operation = m.library.operation(f"torch.Tensor.{method}")
    if operation is None:
        return m.unknown(node)
    name = operation.parameters[0].name if operation.parameters else "input"
    return operations.compute(
        m, operation, node, [(Role.ELEMENT, device_check.operand(m, tensor, operand_node, name))], {}
    )


@library_semantics.combine_arrays.answer
def combined(m: Machine, node: ast.AST, left: object, right: object) -> object | None:
    """An operator of an array and a number, or of two arrays, gives an array; None for anything else."""
    sides = (left, right)
    arrays = [isinstance(each, InstanceValue) and each.library == "numpy.ndarray" for each in sides]
    numbers = [isinstance(each, (Const, Symbol)) and operators.is_number(each) for each in sides]
    if any(arrays) and all(one or other for one, other in zip(arrays, numbers, strict=True)):
        return host.array(m, node, sides)
    return None
