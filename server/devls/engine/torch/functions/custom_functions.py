"""`MyFunction.apply(...)`: its forward is run, outside any graph, for what comes out; its backward is the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import training_moments
from devls.engine.python import calls, classes
from devls.engine.torch.autograd import functions as custom_functions
from devls.engine.torch.tensors import device_check, operations
from devls.engine.torch.tensors.shapes import can_require_grad
from devls.library.effects import Differentiable, Operation, Result, Role
from devls.values.graph import Storage
from devls.values.state import AMBIENT
from devls.values.value import NONE, ClassValue, FunctionValue, InstanceValue, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine

CONTEXT = "torch.autograd.function.FunctionCtx"
_APART = "#not differentiable"


def gradcheck(m: Machine, call: Invocation) -> object:
    """`torch.autograd.gradcheck(function, inputs)`."""
    custom_functions.checked(m, call)
    return m.unknown(call.node)


def apply(m: Machine, call: Invocation) -> object:
    """`MyFunction.apply(...)`."""
    operation = Operation("torch.autograd.Function.apply", (), Result.TENSOR, Differentiable.YES, saves=None)
    training_moments.function_applied(m, call)
    custom_functions.applied(m, call)
    operands = []
    open_operands = False
    for value, node in zip(call.arguments[1:], call.nodes[1:], strict=False):
        tensor = m.tensor_of(value, infer=False)
        if tensor is not None:
            operands.append((Role.FREE, device_check.operand(m, tensor, node)))
        elif isinstance(m.resolve(value), Symbol):
            open_operands = True
    if not operands:
        return m.unknown(call.node)
    returned = m.resolve(_forward(m, call))
    made = operations.compute(
        m, operation, call.node, operands, {}, open_operands=open_operands, complete=False
    )
    if not isinstance(made, TensorValue):
        return made
    if isinstance(returned, TensorValue):
        return _output(m, made, returned)
    if isinstance(returned, TupleValue) and returned.items:
        items = [m.resolve(each) for each in returned.items]
        return TupleValue(
            tuple(
                _output(m, made, each)
                if isinstance(each, TensorValue)
                else each
                if each == NONE
                else m.unknown(call.node)
                for each in items
            )
        )
    return made


def mark_non_differentiable(m: Machine, call: Invocation) -> object:
    """`ctx.mark_non_differentiable(index)`: that output has no graph."""
    for value in call.arguments[1:]:
        tensor = m.tensor_of(value, infer=False)
        if tensor is not None:
            m.state.set(tensor, _APART, True)
    return NONE


def _forward(m: Machine, call: Invocation) -> object:
    """Result of `forward`; None where we do not see it."""
    cls = m.resolve(call.receiver)
    if not isinstance(cls, ClassValue) or "*" in call.keywords:
        return None
    forward = classes.class_attribute(m, cls, "forward")
    if not isinstance(forward, FunctionValue):
        return None
    apart = isinstance(classes.class_attribute(m, cls, "setup_context"), FunctionValue)
    context = [] if apart else [InstanceValue(None, CONTEXT, m.site(call.node))]
    before = m.state.get(AMBIENT, "grad", True)
    m.state.set(AMBIENT, "grad", False)
    try:
        return calls.call_function(m, forward, [*context, *call.arguments[1:]], call.keywords, call.node)
    finally:
        m.state.set(AMBIENT, "grad", before)


def _output(m: Machine, made: TensorValue, returned: TensorValue) -> TensorValue:
    """One output: where and of what kind `forward` made it, in the graph of the call if it can be in one."""
    apart = can_require_grad(returned.dtype) is False or m.state.get(returned, _APART) is True
    unsure = returned.dtype is None and not apart
    grad = m.requires_grad(made)
    result = TensorValue(
        device=m.device(returned),
        requires_grad=False if apart else None if unsure and grad is not False else grad,
        leaf=True if apart else None if unsure and grad is not False else m.is_leaf(made),
        dtype=returned.dtype,
        shape=returned.shape,
        nonscalar=returned.nonscalar,
        storage=Storage(),
        inference=made.inference,
        origin=made.origin,
        device_step=m.state.get(returned, "device_step", returned.device_step),  # type: ignore[arg-type]
        grad_step=made.grad_step,
    )
    result.node = None if apart else made.node
    return result
