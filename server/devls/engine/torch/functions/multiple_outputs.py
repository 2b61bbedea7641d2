"""Functions that give back several tensors, each by itself: `atleast_1d`, `broadcast_tensors`, `meshgrid`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.python import iteration
from devls.engine.torch.tensors import device_check, operations
from devls.library.effects import Differentiable, Dtype, Operation, Parameter, Rank, Result, Role
from devls.values.graph import Storage
from devls.values.history import Step
from devls.values.value import Const, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine

    Shape = tuple[int | None, ...]


def at_least(m: Machine, call: Invocation) -> object:
    """`torch.atleast_1d(*tensors)`: of one tensor a tensor, of several or of a list of them a tuple."""
    given, alone = _given(m, call)
    if given is None:
        return m.unknown(call.node)
    made = tuple(_viewed(m, call, each, call.name) for each in given)
    return made[0] if alone else TupleValue(made)


def broadcast(m: Machine, call: Invocation) -> object:
    """`torch.broadcast_tensors(*tensors)`: what has the shape already stays itself, the others are expanded."""
    given, _ = _given(m, call)
    if given is None:
        return m.unknown(call.node)
    shape = _together([each.shape for each in given])
    results: list[object] = []
    for each in given:
        if shape is not None and None not in shape and each.shape == shape:
            results.append(each)
            continue
        made = _viewed(m, call, each, "torch.Tensor.expand")
        made.shape, made.nonscalar = shape, bool(shape) or made.nonscalar
        if shape is None or None in shape or each.shape is None or None in each.shape:
            made.leaf = True if m.requires_grad(each) is False else None  # perhaps it is the tensor itself
        results.append(made)
    return TupleValue(tuple(results))


def grid(m: Machine, call: Invocation) -> object:
    """`torch.meshgrid(*tensors, indexing=...)`: each is expanded to the sizes of all, and knows nothing of the others' graphs."""
    given, _ = _given(m, call)
    operation = m.library.operation(call.name)
    if given is None or operation is None:
        return m.unknown(call.node)
    operations.perform(m, operation, call)  # they have to be on one device
    sizes = [None if each.shape is None else each.shape[0] if each.shape else 1 for each in given]
    indexing = call.keyword(m, "indexing")
    if indexing == Const("xy"):
        sizes[:2] = sizes[1::-1]
    elif indexing not in (None, Const("ij")):
        sizes[:2] = [None] * len(sizes[:2])
    made = [_viewed(m, call, each, "torch.Tensor.expand") for each in given]
    for each in made:
        each.shape, each.nonscalar = tuple(sizes), True
    return TupleValue(tuple(made))


def fused(m: Machine, call: Invocation) -> object:
    """`fuse_conv_bn_weights(...)`: weight and bias for a layer, as Parameters that train if the first weight did."""
    operation = m.library.operation(call.name)
    result = operations.perform(m, operation, call) if operation is not None else None
    weight = m.tensor_of(call.arguments[0]) if call.arguments else None
    if not isinstance(result, TupleValue) or weight is None:
        return m.unknown(call.node)
    return TupleValue(
        tuple(
            TensorValue(
                device=m.device(each),
                requires_grad=m.requires_grad(weight),
                leaf=True,
                dtype=each.dtype,
                shape=each.shape,
                nonscalar=each.nonscalar,
                storage=Storage(),
                is_parameter=True,
                origin=each.origin,
                device_step=each.device_step,
                grad_step=Step("a parameter", m.site(call.node), kind="requires"),
            )
            for each in result.items
            if isinstance(each, TensorValue)
        )
    )


def _given(m: Machine, call: Invocation) -> tuple[list[TensorValue] | None, bool]:
    """The tensors among the arguments, None if there may be others; whether it is one, not in a list."""
    values: list[object] = list(call.arguments)
    alone = len(values) == 1
    if alone and m.tensor_of(values[0], infer=False) is None:
        values, alone = iteration.items(m, values[0], None) or [], False
    tensors = [m.tensor_of(each, infer=False) for each in values]
    if not tensors or None in tensors or "*" in call.keywords:
        return None, alone
    return [each for each in tensors if each is not None], alone


def _viewed(m: Machine, call: Invocation, tensor: TensorValue, name: str) -> TensorValue:

    parameters = (Parameter("self", Role.EXACT),)
    operation = Operation(
        name, parameters, Result.VIEW, Differentiable.YES, rank=Rank.UNKNOWN, dtype=Dtype.SAME
    )
    operand = (Role.EXACT, device_check.operand(m, tensor, call.node, "self"))
    made = operations.compute(m, operation, call.node, [operand], {})
    assert isinstance(made, TensorValue)  # noqa: S101  for the type checker: a view is a tensor
    return made


def _together(shapes: list[Shape | None]) -> Shape | None:
    """Shape that shapes broadcast to; None where one of them is not known."""
    known = [each for each in shapes if each is not None]
    if len(known) != len(shapes):
        return None
    rank = max(map(len, known))
    padded = [(1,) * (rank - len(each)) + each for each in known]
    return tuple(
        None if None in column else next((each for each in column if each != 1), 1)
        for column in zip(*padded, strict=True)
    )
