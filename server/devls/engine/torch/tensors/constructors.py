"""`torch.Tensor(...)` and `torch.FloatTensor(...)`: constructors from before `torch.tensor`."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.events import InvalidDevice
from devls.engine.python import narrowing
from devls.engine.torch.tensors import creation, device_arguments
from devls.engine.torch.tensors.shapes import sizes
from devls.library.effects import Operation, Result
from devls.values.conditions import Either, either, leaves
from devls.values.devices import CPU, CUDA, KnownDevice, NamedDevice, describe
from devls.values.history import Step
from devls.values.state import AMBIENT
from devls.values.value import Const, InstanceValue, LibraryName, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree

_DTYPES: Final = {
    "Tensor": "float", "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64", "IntTensor": "int32", "ShortTensor": "int16", "CharTensor": "int8", "ByteTensor": "uint8",
    "BoolTensor": "bool",
}  # fmt: skip


def place_and_dtype(type_: object) -> tuple[KnownDevice, str] | None:
    """Device and dtype in the old name of a type: `torch.cuda.FloatTensor`, or its text."""
    text = type_.name if isinstance(type_, LibraryName) else type_.value if isinstance(type_, Const) else ""
    if not isinstance(text, str) or not text.startswith("torch."):
        return None
    dtype = _DTYPES.get(text.rpartition(".")[2])
    if dtype in (None, "float"):
        return None
    return (CUDA if text.startswith("torch.cuda.") else CPU), dtype


def place_of_type(wanted: object) -> Tree:
    """The device in the old name of a type: `torch.cuda.FloatTensor`; None for what is no such name."""
    if isinstance(wanted, Either):
        sides = (place_of_type(wanted.then), place_of_type(wanted.otherwise))
        return None if None in sides else either(wanted.condition, *sides)
    text = _type_name(wanted)
    if text.rpartition(".")[2] not in _DTYPES:
        return None
    return CUDA if text.startswith("torch.cuda.") else CPU


def dtype_of_type(wanted: object) -> str | None:
    """The dtype in the old name of a type, whichever it is of several; None if that differs, or is the default."""
    found = {_DTYPES.get(_type_name(each).rpartition(".")[2]) for each in leaves(wanted)}
    dtype = found.pop()
    return None if found or dtype == "float" else dtype


def _type_name(wanted: object) -> str:
    text = wanted.name if isinstance(wanted, LibraryName) else getattr(wanted, "value", "")
    return text if isinstance(text, str) and text.startswith("torch.") else ""


def legacy(m: Machine, call: Invocation) -> object:
    """Sizes, numbers or a tensor in; a tensor on the CPU out, whatever the default device is (torch 2.13)."""
    if "device" in call.keywords:
        _check_device(m, call)
    if "*" in call.keywords:
        return m.unknown(call.node)
    given = [m.resolve(each) for each in call.arguments]
    first = given[0] if len(given) == 1 else None
    if isinstance(first, TensorValue):
        return first  # a new name for the same tensor
    if isinstance(first, Either) and any(isinstance(each, (TensorValue, Symbol)) for each in leaves(first)):
        sides = (legacy(m, replace(call, arguments=[each])) for each in (first.then, first.otherwise))
        return m.select(Either(first.condition, True, False), *sides)
    if (
        isinstance(first, Symbol)
        and first.hint != "number"
        and call.short_name == "Tensor"
        and not m.state.get(first, "#a size")
    ):
        return m.unknown(call.node)  # sizes, numbers, or a tensor that may be anywhere
    result = creation.created(m, Operation(call.name, (), Result.CPU_TENSOR), call.node, {}, [], "?", call)
    result.dtype = _DTYPES[call.short_name]
    result.nonscalar = True
    if isinstance(first, (TupleValue, Sequence)):
        result.shape = creation.literal(m, first)[0]
    elif isinstance(first, InstanceValue):
        result.shape = None
    elif all(isinstance(each, (Const, Symbol)) for each in given):
        result.shape = sizes(m, list(given)) if given else (0,)
    wanted = narrowing.device_of(m, call.keywords["device"]) if "device" in call.keywords else None
    if wanted is not None:  # as if torch took it
        result.device = wanted
        result.device_step = Step(f"created on `{describe(wanted)}`", m.site(call.node), kind="placed")
    elif call.name.startswith("torch.cuda."):
        result.device = device_arguments.current_card(m)
        result.device_step = Step(f"created on `{describe(result.device)}`", m.site(call.node), kind="placed")
    elif call.name == "torch.Tensor" and (default := m.state.get(AMBIENT, "tensor type")) is not None:
        result.device = default
    return result


def _today(m: Machine, call: Invocation) -> str:
    """`torch.Tensor(rows, device=device)` as it is written today, where it is given numbers and no sizes."""
    node, data = call.node, m.resolve(call.arguments[0]) if len(call.arguments) == 1 else None
    # Arguments of unknown types are taken for numbers: code that wants sizes says so.
    numbers = isinstance(data, Symbol) and data.hint not in ("number", "tensor")
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return ""
    if not numbers and not isinstance(data, (Sequence, TupleValue)):
        return ""
    dtype = _DTYPES.get(call.short_name)
    given = m.source.slice(node.args[0])
    device = m.source.slice(call.keyword_nodes["device"])
    if dtype is None or set(call.keywords) != {"device"}:
        return ""
    dtype = "float32" if dtype == "float" else dtype
    return f"torch.tensor({given}, dtype=torch.{dtype}, device={device})"


def _check_device(m: Machine, call: Invocation) -> None:
    """`torch.FloatTensor(x, device=...)`: the name decides the device, and torch refuses any other."""
    home = "cuda" if call.name.startswith("torch.cuda.") else "cpu"
    wanted = narrowing.device_of(m, call.keywords["device"])
    for each in leaves(wanted):
        elsewhere = (
            each.type != home
            if isinstance(each, KnownDevice)
            else isinstance(each, NamedDevice) and each.may_accelerate and home == "cpu"
        )
        if elsewhere:
            text = m.text(call.keyword_nodes["device"]) if "device" in call.keyword_nodes else "its device"
            when = "" if isinstance(wanted, KnownDevice) else f", and `{text}` may be another device"
            m.emit(
                InvalidDevice(
                    m.site(call.node),
                    m.frame.statement,
                    f"`torch.{call.name.removeprefix('torch.')}` makes tensors on {home} only{when}",
                    _today(m, call),
                )
            )
            return


def audio_file(m: Machine, call: Invocation) -> object:
    """`torchaudio.load(path)`: the waveform, decoded on the host, and its sample rate."""
    made = Operation(call.name, (), Result.CPU_TENSOR)
    waveform = creation.created(m, made, call.node, {}, [], "?", call)
    waveform.dtype, waveform.shape, waveform.nonscalar = None, (None, None), True
    waveform.device_step = Step(f"read from a file: `{m.text(call.node)}`", m.site(call.node), kind="read")
    return TupleValue((waveform, Symbol(("rate", m.fresh_number()), "the sample rate", hint="number")))


CONSTRUCTORS: Final[dict[str, Callable[[Machine, Invocation], object]]] = {
    "torchaudio.load": audio_file,
    **{f"{place}.{name}": legacy for place in ("torch", "torch.cuda") for name in _DTYPES},
}
