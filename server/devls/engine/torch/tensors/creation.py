"""Factories: device, dtype and shape of what they make, also of numbers that stand in the program."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments
from devls.engine.core.joins import Contents
from devls.engine.python.narrowing import device_of, is_no_tensor
from devls.engine.torch.tensors import device_arguments, device_check, shape_rules
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
)

if TYPE_CHECKING:
    import ast

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree


MADE_FROM: Final = "#made from"
"""Slot of a creation's step: the keys of the unknown values that the tensor's numbers come from."""


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
    _check_device(m, node, given.get("device"), call)
    like = next(iter(tensors), None)
    device, step = _place(m, operation, node, given, like, call)
    grad: Tree = m.truth(given["requires_grad"]) if "requires_grad" in given else False
    shape, nonscalar = created_shape(m, operation, given, like, call)
    kind = _created_dtype(m, operation, given, tensors, dtype)
    if grad is True and operation.name != "torch.tensor":
        moments.grad_asked_for(m, node, "requires_grad=True", kind, None)
    result = TensorValue(
        device=device,
        requires_grad=grad,
        leaf=True,
        dtype=kind,
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
    if step.kind == "created":
        note_making(m, step, result, call)
    if device != CPU:
        moments.placed(m, node, device, result.dtype, None)
    return result


def _place(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    given: dict[str, object],
    like: TensorValue | None,
    call: Invocation | None,
) -> tuple[Tree, Step]:
    """Device of a factory's tensor, with the reason."""
    wanted = device_of(m, given["device"]) if "device" in given else None
    if wanted is not None:
        template = m.resolve(given["device"])
        if (
            isinstance(template, DeviceValue)
            and template.step is not None
            and template.step.kind == "created"
        ):
            return wanted, template.step  # it is where another stands that nobody gave a device
        return wanted, Step(f"created on {_where(wanted)}", m.site(node), kind="placed")
    if operation.result is Result.LIKE:
        # Device of its argument, if it is seen.
        step = None if like is None else m.state.get(like, "device_step", like.device_step)
        if not isinstance(step, Step):
            short = operation.name.rpartition(".")[2]
            step = Step(f"`{short}` gives it the device of its argument", m.site(node), kind="derived")
        return UNKNOWN_DEVICE if like is None else m.device(like), step
    if call is not None and "**" in call.keywords:
        return UNKNOWN_DEVICE, Step("created where `**` says", m.site(node), kind="placed")
    ambient = m.default_device()
    device = CPU if operation.result is Result.CPU_TENSOR or ambient is None else ambient
    where = "the CPU" if device == CPU else _where(device)
    kind = "created" if device == CPU else "placed"
    known = operation if call is None else m.library.operation(call.name) or operation
    takes_device = any(each.name == "device" for each in known.parameters)
    text = f"created on {where}: `{m.text(node)}`"
    return device, Step(text, m.site(node), kind=kind, takes_device=takes_device)


def _created_dtype(
    m: Machine,
    operation: Operation,
    given: dict[str, object],
    tensors: list[TensorValue],
    dtype: str | None,
) -> str | None:
    """The dtype of what a factory makes; `dtype` is what `dtype=` says, as far as it is known."""
    if ("dtype" in given and m.resolve(given["dtype"]) != NONE) or dtype is not None:
        return dtype
    short = operation.name.rpartition(".")[2]
    if short == "arange" or (operation.dtype is Dtype.UNKNOWN and "fill_value" in given):
        return _dtype_of_numbers(
            m, [given[name] for name in ("fill_value", "start", "end", "step") if name in given]
        )
    if operation.result is Result.LIKE and tensors:
        return tensors[0].dtype
    return result_dtype(operation, tensors, dtype)


def note_making(m: Machine, step: Step, result: TensorValue, call: Invocation | None) -> None:
    """Keep in mind of what, and like what, something was made on the CPU."""
    m.state.set(step, "made", result)
    made_of = [] if call is None else [leaf for each in call.arguments for leaf in leaves(m.resolve(each))]
    if any(isinstance(each, Symbol) and is_no_tensor(m, each) for each in made_of):
        m.state.set(step, device_check.OF_NO_TENSOR, TRUE)
    data = {item.key for each in made_of for item in _items(m, each) if isinstance(item, Symbol)}
    if data:
        m.state.set(step, MADE_FROM, frozenset(data))
    sized_like = _sized_like(m, call)
    if sized_like:
        m.state.set(step, "sized like", sized_like)


def _items(m: Machine, value: object) -> tuple[object, ...]:
    """The items of a tuple or a list that is written out; of all else itself."""
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        return tuple(contents.items or ()) if isinstance(contents, Contents) else ()
    return value.items if isinstance(value, TupleValue) else (value,)


def _check_device(m: Machine, node: ast.expr, value: object, call: Invocation | None) -> None:
    value = m.resolve(value)
    if call is not None and isinstance(value, Const) and isinstance(value.value, str):
        device_arguments.check_device_string(m, node, value.value, call.keyword_nodes.get("device"))
    elif call is not None and isinstance(value, Symbol) and value.hint == "string":
        device_arguments.check_device_beginning(m, node, value, call.keyword_nodes.get("device"))


def _dtype_of_numbers(m: Machine, values: list[object]) -> str | None:
    """Dtype of the results of `full` and `arange` by their numbers."""
    kinds = {
        type(each.value)
        if isinstance(each := m.resolve(value), Const)
        else int
        if _is_whole_number(each)
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
    if short in _SIZED and call is not None:
        shape = _shape_given(m, short, call)
        # A shape that is not known is hardly ever that of a scalar.
        return shape, shape != ()
    if short == "randint" and call is not None:
        for value in (call.keywords.get("size"), *call.arguments[1 if call.is_method else 0 :]):
            resolved = m.resolve(value) if value is not None else None
            if isinstance(resolved, (TupleValue, Sequence)):
                return sizes(m, [resolved]), True
        return None, True
    return None, call is not None and short in _NEVER_SCALARS


_NEVER_SCALARS = frozenset({"normal", "from_numpy", "frombuffer", "Tensor", "FloatTensor", "LongTensor"})


def _shape_given(m: Machine, short: str, call: Invocation) -> tuple[int | None, ...] | None:
    """The sizes that a factory is given."""
    if "*" in call.keywords:
        return None  # `zeros(*sizes)`: nobody knows how many
    if "size" in call.keywords:
        return sizes(m, [call.keywords["size"]])
    values = call.arguments[1 if call.is_method else 0 :]
    return sizes(m, values[:1] if short in ("full", "new_full") else values)


def _sized_like(m: Machine, call: Invocation | None) -> frozenset[object]:
    """The identities of the tensors whose sizes a factory was given: it makes something of the same kind."""
    given = () if call is None else (*call.arguments, call.keywords.get("size"))
    sizes_given = (item for each in given for item in _items(m, each))
    keys = [each.key for each in sizes_given if isinstance(each, Symbol)]
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
    return None if not step else _steps_between(start, end, step)


def _steps_between(start: float, end: float, step: float) -> int | None:
    """Number of values of a range; None where torch refuses it."""
    try:
        return max(0, math.ceil((end - start) / step))
    except (OverflowError, ValueError):  # infinite, huge, or not a number
        return None


def _where(device: Tree) -> str:
    return f"`{describe(device)}`"


# Numbers that stand in the program: the shapes and dtypes of what they make


_Literal = tuple[tuple[int | None, ...] | None, str | None]


def literal(m: Machine, data: object) -> _Literal:
    """Shape and dtype of literal data."""
    return _literal(m, data, {})


def _literal(m: Machine, data: object, known: dict[int, _Literal]) -> _Literal:
    """The same of a part; what stands in it several times, or in itself, is looked into once."""
    if isinstance(data, (TupleValue, Sequence)):
        found = known.get(id(data))
        if found is None:
            known[id(data)] = None, None
            found = known[id(data)] = _of_items(m, data, known)
        return found
    if isinstance(data, Const):
        kind = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}.get(type(data.value))
        return ((), kind) if kind is not None else (None, None)
    if isinstance(data, Symbol):
        if _is_whole_number(data):
            return (), "int64"
        return (
            ((), None)
            if data.hint == "number" and data.named is False and data.text == "a number"
            else (None, None)
        )
    return None, None


def _of_items(m: Machine, data: TupleValue | Sequence, known: dict[int, _Literal]) -> _Literal:
    if isinstance(data, TupleValue):
        items = data.items
    else:
        contents = m.state.get(data, "#items")
        if not isinstance(contents, Contents):
            return None, None
        if contents.items is None or contents.element is not None:
            inner = m.resolve(contents.element)
            shape, kind = _literal(m, inner, known) if inner is not None else (None, None)
            return ((None, *shape) if shape is not None else None), kind
        items = contents.items
    if not items:
        return (0,), "float32"
    parts = [_literal(m, m.resolve(each), known) for each in items]
    shape, kind = parts[0]
    kinds = {each for _, each in parts}
    if "float32" in kinds:
        kind = "float32"
    if None in kinds:
        kind = None
    return ((len(items), *shape) if shape is not None else None), kind


_COUNTS: Final = frozenset({"size", "len", "index", "ndim", "shape", "int"})
_OF_WHOLE: Final = frozenset(f"__{name}__" for name in "add sub mul floordiv mod".split())


def _is_whole_number(value: object) -> bool:
    """Whether a value, or the key of a symbol, is an `int`: a size, a length, an index, or computed from such alone."""
    if isinstance(value, Const):
        return type(value.value) is int
    key: object = value.key if isinstance(value, Symbol) else value
    if not isinstance(key, tuple) or not key:
        return False
    if key[0] in ("item", "part"):
        return isinstance(key[1], tuple) and bool(key[1]) and key[1][0] in ("range", "shape")
    return key[0] in _COUNTS or (key[0] in _OF_WHOLE and all(map(_is_whole_number, key[1:])))
