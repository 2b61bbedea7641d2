"""Moves of tensors, and what is asked of their size."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, priors
from devls.engine.core.invocation import Invocation as Call
from devls.engine.torch.tensors import attributes as tensor_attributes
from devls.engine.torch.tensors import constructors, device_check, host, moves, operations
from devls.engine.torch.tensors.shapes import can_require_grad, dtype_name
from devls.values.devices import UNKNOWN_DEVICE
from devls.values.value import FALSE, Const, DeviceValue, LibraryName, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def to(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    return m.unknown(call.node) if tensor is None else moves.move_tensor(m, call, tensor)


def type_(m: Machine, call: Invocation) -> object:
    """`x.type(dtype)`, `x.type(torch.cuda.FloatTensor)`."""
    tensor = m.tensor_of(call.receiver)
    if tensor is None or len(call.arguments) < 2:
        name = Symbol(("string", m.fresh_number()), "a type", hint="string")
        if tensor is not None and call.receiver_node is not None:
            m.state.set(name, "type of", (tensor, m.text(call.receiver_node)))
        return name
    wanted = m.resolve(call.arguments[1])
    if isinstance(wanted, Symbol):
        meant = priors.device_meant_by_type(m, call, tensor, wanted)
        if meant is not None:
            device, card, like = meant
            if card is not None:
                moments.current_card_taken(m, call.node, card, back=False, like=like)
            return moved(m, call, tensor, device)
        if wanted.hint != "dtype":
            return moved(m, call, tensor, UNKNOWN_DEVICE)  # the name of a type says where, too
    if isinstance(wanted, LibraryName) and not moves.is_of_torch(wanted) and dtype_name(wanted) is None:
        return moved(m, call, tensor, UNKNOWN_DEVICE)  # a module that is not found may have such a name
    place = constructors.place_of_type(wanted)
    if place is not None:
        dtype = constructors.dtype_of_type(wanted)
        named = None if dtype is None else LibraryName(f"torch.{dtype}")
        return placed(m, call, tensor, DeviceValue(place), named)
    if isinstance(wanted, Const):
        return m.unknown(call.node)
    return moves.move_tensor(m, call, tensor)


def viewed(m: Machine, call: Invocation) -> object:
    """`x.view(dtype)`: the same memory read as something else; all other views as the catalog says."""
    operation = m.library.operation("torch.Tensor.view")
    assert operation is not None  # noqa: S101  for the type checker: the catalog has it
    result = operations.perform(m, operation, call)
    dtype = dtype_name(m.resolve(call.argument(1, "dtype")))
    if dtype is not None and isinstance(result, TensorValue):
        tensor = m.tensor_of(call.receiver)
        result.shape = None if tensor is None else _reread(tensor, dtype)
        result.nonscalar = bool(result.shape) or (tensor is not None and tensor.nonscalar)
        result.dtype = dtype
        if not can_require_grad(dtype):
            result.requires_grad, result.leaf, result.view_of, result.node = False, True, None, None
    return result


def _reread(tensor: TensorValue, dtype: str) -> tuple[int | None, ...] | None:
    """The shape of a tensor whose memory is read as another dtype: only the last size may differ, and a number is one still."""
    shape = tensor.shape
    width, before = (_BYTES.get(each) for each in (dtype, tensor.dtype or ""))
    if not shape or (width == before and width is not None):
        return shape
    last = shape[-1]
    return (*shape[:-1], None if last is None or width is None or before is None else last * before // width)


_BYTES: Final = {
    "float64": 8, "int64": 8, "uint64": 8, "complex64": 8, "float32": 4, "int32": 4, "uint32": 4, "float16": 2, "bfloat16": 2,
    "int16": 2, "uint16": 2, "int8": 1, "uint8": 1, "bool": 1, "complex128": 16,
}  # fmt: skip
"""How wide a number of each dtype is."""


def cast(m: Machine, call: Invocation) -> object:
    """`x.half()`: `x.to(torch.float16)`."""
    tensor = m.tensor_of(call.receiver)
    if tensor is None:
        return m.unknown(call.node)
    dtype = LibraryName(f"torch.{CASTS[call.short_name]}")
    moved = Call(
        "torch.Tensor.to", [tensor, dtype], {}, call.node, [call.receiver_node, None], {}, is_method=True
    )
    return moves.move_tensor(m, moved, tensor)


CASTS: Final[dict[str, str]] = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "bfloat16": "bfloat16",
}


def type_as(m: Machine, call: Invocation) -> object:
    """`x.type_as(other)`: dtype and device of the other."""
    tensor = m.tensor_of(call.receiver)
    other = m.tensor_of(call.argument(1, "other")) if call.argument(1, "other") is not None else None
    if tensor is None:
        return m.unknown(call.node)
    if other is None:
        return moved(m, call, tensor, UNKNOWN_DEVICE)
    return placed(m, call, tensor, other)


def moved(m: Machine, call: Invocation, tensor: TensorValue, device: object) -> TensorValue:
    """The tensor on a device."""
    return placed(m, call, tensor, DeviceValue(device))


def placed(m: Machine, call: Invocation, tensor: TensorValue, *targets: object) -> TensorValue:
    """`tensor.to(*targets)`, as somebody else has asked for it."""
    given: list[object] = [each for each in targets if each is not None]
    nodes = [call.receiver_node, *(None for _ in given)]
    moved = Call("torch.Tensor.to", [tensor, *given], {}, call.node, nodes, {}, is_method=True)
    return moves.move_tensor(m, moved, tensor)


def numpy_(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is None:
        return m.unknown(call.node)
    if call.keyword(m, "force") in (None, FALSE):  # who passes `force` on leaves it to others
        node = call.node if isinstance(call.node, ast.Call) else None
        host.read(m, call.node, ".numpy()", device_check.operand(m, tensor, call.receiver_node), node)
    return host.array(m, call.node, (tensor,))


def size(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is None:
        return m.unknown(call.node)
    shape = tensor_attributes.get(m, call.node, call.receiver_node, tensor, "shape")
    if len(call.arguments) == 1 and not call.keywords:
        return shape
    index = m.resolve(call.argument(1, "dim"))
    if (
        isinstance(shape, TupleValue)
        and isinstance(index, Const)
        and isinstance(index.value, int)
        and -len(shape.items) <= index.value < len(shape.items)
    ):
        return shape.items[index.value]
    key = index if isinstance(index, Const) else m.fresh_number()
    return Symbol(("size", id(tensor), key), "a size", hint="number", named=True)


def dim(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is not None and tensor.rank is not None:
        return Const(tensor.rank)
    return Symbol(("ndim", id(tensor)), "ndim", hint="number")
