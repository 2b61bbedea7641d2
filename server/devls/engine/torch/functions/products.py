"""`torch.einsum`: what its equation says of sizes, views and memory."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from devls.engine.python import iteration
from devls.engine.torch.tensors import operations
from devls.library.effects import Result
from devls.values.value import Const, Sequence, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def einsum(m: Machine, call: Invocation) -> object:
    """`torch.einsum(equation, *operands)`: one operand whose letters all stay is viewed, and a sum over it saves nothing."""
    operation = m.library.operation("torch.einsum")
    assert operation is not None  # noqa: S101  for the type checker: the catalog has it
    spread = _spread(m, call)
    if spread is None:
        return m.unknown(call.node)
    call = spread
    letters = _letters(m, call)
    if letters is None:
        return operations.perform(m, operation, call)
    inputs, output = letters
    if len(inputs) == 1:
        kept = set(output) == set(inputs[0])
        operation = operation._replace(
            result=Result.VIEW if kept else Result.TENSOR, saves=(), saves_only_if_other_requires_grad=False
        )
    result = operations.perform(m, operation, call)
    if isinstance(result, TensorValue):
        result.shape = _sizes(m, call, inputs, output)
        result.nonscalar = bool(output)
    return result


def _spread(m: Machine, call: Invocation) -> Invocation | None:
    """The call with operands that come in one list given one by one; None where it is not known how many there are."""
    given = m.resolve(call.arguments[1]) if len(call.arguments) == 2 else None
    if not isinstance(given, (TupleValue, Sequence)):
        return call
    node = call.nodes[1] if len(call.nodes) > 1 else None
    operands = iteration.items(m, given, node)
    if operands is None:
        return None
    nodes = node.elts if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == len(operands) else ()
    rest: list[ast.expr | None] = [*nodes] if nodes else [node] * len(operands)
    return replace(call, arguments=[call.arguments[0], *operands], nodes=[call.nodes[0], *rest])


def _letters(m: Machine, call: Invocation) -> tuple[list[str], str] | None:
    """The letters of each operand and of the result; None where the equation or the operands are not plain."""
    equation = m.resolve(call.arguments[0]) if call.arguments else None
    if not isinstance(equation, Const) or not isinstance(equation.value, str) or "." in equation.value:
        return None
    left, arrow, right = equation.value.replace(" ", "").partition("->")
    inputs = left.split(",")
    if not all(each.isalpha() for each in inputs) or len(inputs) != len(call.arguments) - 1:
        return None
    once = (each for each in sorted(set("".join(inputs))) if "".join(inputs).count(each) == 1)
    return inputs, right if arrow else "".join(once)


def _sizes(m: Machine, call: Invocation, inputs: list[str], output: str) -> tuple[int | None, ...]:
    known: dict[str, int | None] = {}
    for letters, value in zip(inputs, call.arguments[1:], strict=True):
        tensor = m.tensor_of(m.resolve(value), infer=False)
        if tensor is None or tensor.shape is None or len(tensor.shape) != len(letters):
            continue
        for letter, size in zip(letters, tensor.shape, strict=True):
            if known.get(letter) in (None, 1):  # what is 1 is stretched
                known[letter] = size
    return tuple(known.get(each) for each in output)
