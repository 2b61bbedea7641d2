"""Tensors of the analysis as expressions that make such tensors."""

from __future__ import annotations

import builtins
import keyword
from itertools import chain, count
from typing import TYPE_CHECKING

from devls.engine.core.describe import flag
from devls.values.conditions import leaves
from devls.values.devices import KnownDevice, NamedDevice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devls.engine.core.machine import Machine
    from devls.values.value import TensorValue

UNKNOWN_SIZE = 2
"""For a size that is not known. More than one, so that shapes that must fit do, and nothing is taken for a scalar."""

LARGEST = 4096
"""Elements of a tensor in a question; a larger one gets smaller sizes. The outcome does not depend on their number."""

INTEGERS = frozenset({"int64", "int32", "int16", "int8", "uint8", "long", "int"})
_DTYPES = (
    frozenset({"bool", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"}) | INTEGERS
)
_TAKEN = frozenset(dir(builtins)) | frozenset(
    "torch r copy io warnings numpy module optimizer moved caught copied each gone holder held length node parameter".split()
)
"""Names that the programs use for themselves, or need as Python has them."""


def name_for(text: str, otherwise: str, taken: Sequence[str] = ()) -> str:
    """A variable called as the program's author calls it, where that is one word; never one of those that are `taken`."""
    usable = text.isidentifier() and text.isascii() and not keyword.iskeyword(text)
    if usable and text not in _TAKEN and text not in taken:
        return text
    others = chain([otherwise], (f"{otherwise}{number}" for number in count(2)))
    return next(each for each in others if each not in taken)


def sizes(shape: Sequence[int | None] | None, rank: int = 2) -> tuple[int, ...]:
    """A shape with all its sizes; of a shape that is not known, of this rank."""
    found = tuple(
        UNKNOWN_SIZE if each is None else each for each in (shape if shape is not None else (None,) * rank)
    )
    total = 1
    for each in found:
        total *= each
    return found if total <= LARGEST else tuple(min(each, UNKNOWN_SIZE) for each in found)


def device_name(device: object) -> str:
    """`"cpu"` or one of the two cards there may be; of several devices an accelerator."""
    found = list(leaves(device))
    for each in found:
        if isinstance(each, KnownDevice) and each.is_accelerator:
            return "cuda:1" if each.index else "cuda"
    if any(isinstance(each, NamedDevice) and each.may_accelerate for each in found):
        return "cuda"
    return "cpu"


def two_devices(left: object, right: object) -> tuple[str, str]:
    """Names for two devices that are said to differ."""
    first, second = device_name(left), device_name(right)
    if first != second:
        return first, second
    return (first, "cuda:1") if first == "cuda" else ("cpu", "cuda")


def dtype_of(tensor: TensorValue) -> str:
    """The dtype's name; empty for torch's default."""
    name = tensor.dtype or ""
    return {"long": "int64", "int": "int64"}.get(name, name) if name in _DTYPES else ""


def made(
    shape: Sequence[int],
    *,
    dtype: str = "",
    device: str = "cpu",
    requires_grad: bool = False,
    leaf: bool = True,
) -> str:
    """An expression for a tensor."""
    words = [repr(tuple(shape))]
    if dtype not in ("", "float32"):
        words.append(f"dtype=torch.{dtype}")
    if device != "cpu":
        words.append(f'device="{device}"')
    floating = dtype not in INTEGERS and dtype != "bool"
    if requires_grad and floating:
        words.append("requires_grad=True")
    # Zeros, where the numbers may be taken for indices.
    code = f"torch.{'ones' if floating else 'zeros'}({', '.join(words)})"
    return f"{code} * 1" if requires_grad and floating and not leaf else code


def like(
    machine: Machine,
    tensor: TensorValue,
    *,
    device: str = "",
    shape: Sequence[int] | None = None,
    dtype: str = "",
) -> str:
    """An expression for a tensor in the state that the analysis says this one is in."""
    return made(
        sizes(tensor.shape) if shape is None else shape,
        dtype=dtype or dtype_of(tensor),
        device=device or device_name(machine.device(tensor)),
        requires_grad=flag(machine.requires_grad(tensor)) == "True",
        leaf=flag(machine.is_leaf(tensor)) != "False",
    )
