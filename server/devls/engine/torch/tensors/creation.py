"""Factories: device, dtype and shape of what they make."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from devls.engine.core import moments
from devls.engine.python.narrowing import device_of, is_no_tensor
from devls.engine.torch.tensors import device_check, moves, shape_rules
from devls.engine.torch.tensors.shapes import result_dtype, sizes
from devls.library.effects import Dtype, Operation, Result
from devls.values.conditions import leaves
from devls.values.devices import CPU, UNKNOWN_DEVICE, describe
from devls.values.graph import Storage
from devls.values.history import Step
from devls.values.state import AMBIENT
from devls.values.value import (
    NONE,
    TRUE,
    Const,
    DeviceValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
    is_whole_number,
)

if TYPE_CHECKING:
    import ast

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree


def created(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    given: dict[str, object],
    tensors: list[TensorValue],
    dtype: str | None,
    call: Invocation | None,
) -> TensorValue:
    """A new leaf: `zeros`, `randn`, `zeros_like`, `from_numpy`."""
    short = operation.name.rpartition(".")[2]
    wanted = device_of(m, given["device"]) if "device" in given else None
    _check_device(m, node, given.get("device"), call)
    like = next(iter(tensors), None)
    step_before: Step | None = None
    if wanted is None and operation.result is Result.LIKE and like is not None:
        device = m.device(like)
        step_before = m.state.get(like, "device_step", like.device_step)  # type: ignore[assignment]
        step = step_before
        if step is None:
            step = Step(f"`{short}` gives it the device of its argument", m.site(node), kind="derived")
    elif wanted is None and operation.result is Result.LIKE:
        device = UNKNOWN_DEVICE  # where its argument is, which we do not see
        step = Step(f"`{short}` gives it the device of its argument", m.site(node), kind="derived")
    elif wanted is None and call is not None and "**" in call.keywords:
        device = UNKNOWN_DEVICE  # `**kwargs` may say where
        step = Step("created where `**` says", m.site(node), kind="placed")
    elif wanted is None:
        ambient = m.default_device()
        device = CPU if operation.result is Result.CPU_TENSOR or ambient is None else ambient
        where = "the CPU" if device == CPU else str(device)
        step = Step(
            f"created on {where}: `{m.text(node)}`",
            m.site(node),
            kind="created" if device == CPU else "placed",
        )
    else:
        device = wanted
        step = Step(f"created on {_where(device)}", m.site(node), kind="placed")
        template = m.resolve(given["device"])
        if (
            isinstance(template, DeviceValue)
            and template.step is not None
            and template.step.kind == "created"
        ):
            step = template.step  # it is where another stands that nobody gave a device
    grad: Tree = False
    if "requires_grad" in given:
        grad = m.truth(given["requires_grad"])
    shape, nonscalar = created_shape(m, operation, given, like, call)
    kind = dtype if "dtype" not in given or m.resolve(given["dtype"]) == NONE else dtype or "?"
    filled = operation.dtype is Dtype.UNKNOWN and "fill_value" in given
    if kind is None and (filled or short == "arange"):
        kind = _dtype_of_numbers(
            m, [given[name] for name in ("fill_value", "start", "end", "step") if name in given]
        )
    elif kind is None:
        kind = (
            like.dtype
            if like is not None and operation.result is Result.LIKE
            else result_dtype(operation, tensors, dtype)
        )
    if grad is True and operation.name != "torch.tensor":
        moments.grad_asked_for(m, node, "requires_grad=True", None if kind == "?" else kind, None)
    result = TensorValue(
        device=device,
        requires_grad=grad,
        leaf=True,
        dtype=None if kind == "?" else kind,
        shape=shape,
        nonscalar=nonscalar,
        storage=Storage(),
        origin=m.site(node),
        device_step=step,
        grad_step=Step("created with requires_grad=True", m.site(node), kind="requires")
        if grad is True
        else None,
        inference=m.state.get(AMBIENT, "inference", False) is True,
    )
    if isinstance(step, Step) and step.kind == "created":
        m.state.set(step, "made", result)
        made_of = (
            [] if call is None else [leaf for each in call.arguments for leaf in leaves(m.resolve(each))]
        )
        if any(isinstance(each, Symbol) and is_no_tensor(m, each) for each in made_of):
            m.state.set(step, device_check.OF_NO_TENSOR, TRUE)
        sized_like = _sized_like(call)
        if sized_like:
            m.state.set(step, "sized like", sized_like)
    if device != CPU:
        moments.placed(m, node, device, result.dtype, None)
    return result


def _check_device(m: Machine, node: ast.expr, value: object, call: Invocation | None) -> None:
    value = m.resolve(value)
    if call is not None and isinstance(value, Const) and isinstance(value.value, str):
        moves.check_device_string(m, node, value.value, call.keyword_nodes.get("device"))


def _dtype_of_numbers(m: Machine, values: list[object]) -> str | None:
    """What `full` and `arange` make of the numbers they are given."""
    kinds = {
        type(each.value)
        if isinstance(each := m.resolve(value), Const)
        else int
        if is_whole_number(each)
        else None
        for value in values
    }
    if float in kinds:
        return "float32"
    return "int64" if kinds == {int} else "bool" if kinds == {bool} else None


_SIZED = frozenset(
    {"zeros", "ones", "rand", "randn", "empty", "full", "new_zeros", "new_ones", "new_empty", "new_full"}
)


_ONE_DIMENSION = frozenset(
    {"arange", "range", "linspace", "logspace", "randperm", "hann_window", "hamming_window"}
)


_MATRIX = frozenset({"eye", "tril_indices", "triu_indices"})


def created_shape(
    m: Machine,
    operation: Operation,
    given: dict[str, object],
    like: TensorValue | None,
    call: Invocation | None,
) -> tuple[tuple[int | None, ...] | None, int]:
    """The shape of a factory's result."""
    short = operation.name.rpartition(".")[2]
    if short.endswith("_like") and like is not None:
        return like.shape, like.nonscalar
    if short in _ONE_DIMENSION:
        return (_length(m, short, given),), True
    if short == "eye":
        rows = shape_rules.number(m, given.get("n"))
        return (rows, shape_rules.number(m, given["m"]) if "m" in given else rows), True
    if short in _MATRIX:
        return (None, None), True
    if call is None:
        return None, False
    skip = 1 if call.is_method else 0
    if short in _SIZED:
        if "*" in call.keywords:
            shape = None  # `zeros(*sizes)`: nobody knows how many
        elif "size" in call.keywords:
            shape = sizes(m, [call.keywords["size"]])
        else:
            values = call.arguments[skip:]
            shape = sizes(m, values[:1] if short in ("full", "new_full") else values)
        # A shape that is not known is hardly ever that of a scalar.
        return shape, shape != ()
    if short == "randint":
        for value in (call.keywords.get("size"), *call.arguments[skip:]):
            resolved = m.resolve(value) if value is not None else None
            if isinstance(resolved, (TupleValue, Sequence)):
                return sizes(m, [resolved]), True
        return None, True
    if short in ("normal", "from_numpy", "frombuffer", "Tensor", "FloatTensor", "LongTensor"):
        return None, True
    return None, False


def _sized_like(call: Invocation | None) -> frozenset[object]:
    """The identities of the tensors whose sizes a factory was given: it makes something of the same kind."""
    keys = [each.key for each in call.arguments if isinstance(each, Symbol)] if call is not None else []
    found = set()
    while keys:
        key = keys.pop()
        if isinstance(key, tuple) and len(key) > 1:
            if key[0] in ("shape", "size"):
                found.add(key[1])
            elif isinstance(key[0], str):
                keys += [each for each in key[1:] if isinstance(each, tuple)]
    return frozenset(found)


def _length(m: Machine, short: str, given: dict[str, object]) -> int | None:
    if short in ("linspace", "logspace"):
        return shape_rules.number(m, given.get("steps"))
    if short == "randperm":
        return shape_rules.number(m, given.get("n"))
    if short != "arange":
        return None
    bounds = [m.resolve(given[name]) for name in ("start", "end", "step") if name in given]
    numbers = [
        each.value for each in bounds if isinstance(each, Const) and isinstance(each.value, (int, float))
    ]
    if len(numbers) != len(bounds) or not numbers:
        return None
    start, end, step = (
        (0, *numbers, 1) if len(numbers) == 1 else (*numbers, 1) if len(numbers) == 2 else numbers
    )
    return max(0, math.ceil((end - start) / step)) if step else None


def _where(device: Tree) -> str:
    return f"`{describe(device)}`"
