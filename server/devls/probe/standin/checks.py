"""Which tensors may meet: the checks CUDA's kernels make before they run, with their texts.

Three kinds of operation: kernels that compare argument by argument (listed in `data/device_checks.json`, made from
torch's own declarations by `scripts/generate_probe_rules.py`), element-wise kernels (any other: 0-dim CPU tensors may
join), and the composites below, which check by hand in C++.
"""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import TYPE_CHECKING, NoReturn

import torch

from devls.probe.standin.names import INNER, to_outer, type_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Named = Sequence[tuple[str, torch.Tensor]]

_CPU = torch.device("cpu")

# They read one device and write another, or look at nothing but shapes.
_FREE = frozenset(
    {
        "_pack_padded_sequence",  # its lengths stay on the CPU
        "_foreach_copy_",
        "_has_compatible_shallow_copy_type",
        "_local_scalar_dense",
        "_pin_memory",
        "_to_copy",
        "alias",
        "copy",
        "copy_",
        "detach",
        "is_pinned",
        "is_same_size",
        "resize_as_",
    }
)


@functools.cache
def _checked_kernels() -> tuple[frozenset[str], frozenset[str]]:
    text = resources.files("devls.probe").joinpath("data/device_checks.json").read_text(encoding="utf-8")
    table = json.loads(text)
    return frozenset(table["structured"]), frozenset(table["plain"])


def named_tensors(
    function: torch._ops.OpOverload, args: Sequence[object], kwargs: dict[str, object]
) -> Named:
    """The tensors of a call in the order of the schema, lists laid out."""
    found: list[tuple[str, torch.Tensor]] = []
    for index, argument in enumerate(function._schema.arguments):  # noqa: SLF001  there is no public schema
        value = args[index] if index < len(args) else kwargs.get(argument.name)
        if isinstance(value, torch.Tensor):
            found.append((argument.name, value))
        elif isinstance(value, (list, tuple)):
            found += [(argument.name, item) for item in value if isinstance(item, torch.Tensor)]
    return found


def check(function: torch._ops.OpOverload, tensors: Named) -> None:
    """Refuse what CUDA would refuse.

    Raises:
        RuntimeError: with the text torch has for this operation.
    """
    base = function._schema.name.partition("::")[2]  # noqa: SLF001
    if base == "_pack_padded_sequence":
        _packed(tensors)
    if len({tensor.device for _, tensor in tensors}) <= 1:
        return
    overload = function._schema.overload_name  # noqa: SLF001
    if base in _FREE or (base, overload) == ("set_", "source_Tensor"):
        return
    special = _SPECIAL.get(base)
    if special is not None and special(tensors):
        return
    name = f"{base}.{overload}" if overload else base
    structured, plain = _checked_kernels()
    made_of = _MADE_OF.get(base)
    if made_of is not None:
        _argument_by_argument(made_of, tensors)
    elif name in structured:
        _argument_by_argument(f"{base}_{overload}" if overload else base, tensors)
    elif name in plain:
        _argument_by_argument(f"{overload}_{base}", tensors)
    else:
        _element_wise(base, tensors)


_MADE_OF = {"stack": "cat", "masked_scatter": "_masked_scatter_"}
"""Operations made of another one, which raises in their place."""


def _argument_by_argument(kernel: str, tensors: Named) -> None:
    common = tensors[0][1].device
    for name, tensor in tensors[1:]:
        if tensor.device != common:
            _refuse_argument(kernel, name, tensor.device, common)


def _refuse_argument(kernel: str, name: str, device: torch.device, common: torch.device) -> NoReturn:
    raise RuntimeError(
        "Expected all tensors to be on the same device, but got "
        f"{name} is on {to_outer(device)}, different from other tensors on {to_outer(common)} "
        f"(when checking argument in method wrapper_CUDA_{kernel})"
    )


def _element_wise(base: str, tensors: Named) -> None:
    first = tensors[0][1]
    if len([tensor for name, tensor in tensors if name != "out"]) == 1:
        joined = [tensor for _, tensor in tensors]  # only kernels of several operands let a CPU scalar join
    elif base.endswith("_") and first.device == _CPU:
        joined = [
            tensor for _, tensor in tensors
        ]  # a CPU tensor cannot take a CUDA result, not even a 0-dim one
    else:
        joined = [tensor for _, tensor in tensors if not _is_cpu_scalar(tensor)]
    if len({tensor.device for tensor in joined}) <= 1:
        return
    accelerator = next(tensor.device for _, tensor in tensors if tensor.device.type == INNER)
    other = next(tensor.device for tensor in joined if tensor.device != accelerator)
    raise RuntimeError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{to_outer(accelerator)} and {to_outer(other)}!"
    )


def _is_cpu_scalar(tensor: torch.Tensor) -> bool:
    return bool(tensor.dim() == 0 and tensor.device == _CPU)


# Composites: True when the check of this call is done, False when the ordinary one has to follow.


def _index(tensors: Named) -> bool:
    target = tensors[0][1].device
    for name, tensor in tensors[1:]:
        if name == "indices" and tensor.device not in (_CPU, target):
            raise RuntimeError(
                f"indices should be either on cpu or on the same device as the indexed tensor ({to_outer(target)})"
            )
    return True


def _index_put(tensors: Named) -> bool:
    # Operations that write through take indices of any device: torch copies them to the operand's (`make_info` in
    # TensorAdvancedIndexingUtils), and checks the device of indices in `index` only.
    target = tensors[0][1].device
    for name, tensor in tensors[1:]:
        if name == "values" and tensor.device != target and tensor.numel() != 1:
            raise RuntimeError(
                f"expected device {to_outer(target)} but got device {to_outer(tensor.device)} for value tensor"
            )
    return True


def _embedding(tensors: Named) -> bool:
    weight, ids = tensors[0][1], tensors[1][1]
    if weight.device.type == INNER:
        _refuse_argument("_index_select", "index", ids.device, weight.device)
    return False


def _convolution(tensors: Named) -> bool:
    by_name = dict(tensors)
    batch, weight, bias = by_name["input"], by_name["weight"], by_name.get("bias")
    if batch.device != weight.device:
        tail = (
            " or input should be a MKLDNN tensor and weight is a dense tensor" if batch.device == _CPU else ""
        )
        raise RuntimeError(
            f"Input type ({type_name(batch)}) and weight type ({type_name(weight)}) should be the same{tail}"
        )
    if bias is not None:
        raise RuntimeError(
            f"Input type ({type_name(batch)}) and bias type ({type_name(bias)}) should be the same"
        )
    return False


def _where(tensors: Named) -> bool:
    if len(tensors) != 3:
        return False
    condition, chosen, other = (tensor for _, tensor in tensors)
    if all(tensor.device == condition.device for tensor in (chosen, other) if not _is_cpu_scalar(tensor)):
        return True
    raise RuntimeError(
        f"Expected condition, x and y to be on the same device, but condition is on {to_outer(condition.device)} "
        f"and x and y are on {to_outer(chosen.device)} and {to_outer(other.device)} respectively"
    )


def _masked_fill(tensors: Named) -> bool:
    target, mask = tensors[0][1], tensors[1][1]
    if mask.device != target.device and mask.dim():
        raise RuntimeError(
            "expected self and mask to be on the same device, but got mask on "
            f"{to_outer(mask.device)} and self on {to_outer(target.device)}"
        )
    return False


def _packed(tensors: Named) -> None:
    lengths = tensors[1][1]
    if lengths.device != _CPU:
        raise RuntimeError(
            "'lengths' argument should be a 1D CPU int64 tensor, but got "
            f"{lengths.dim()}D {to_outer(lengths.device)} Long tensor"
        )


_SPECIAL: dict[str, Callable[[Named], bool]] = {
    "_convolution": _convolution,
    "_index_put_impl_": _index_put,
    "convolution": _convolution,
    "convolution_overrideable": _convolution,
    "embedding": _embedding,
    "index": _index,
    "index_put": _index_put,
    "index_put_": _index_put,
    "masked_fill": _masked_fill,
    "masked_fill_": _masked_fill,
    "where": _where,
}
