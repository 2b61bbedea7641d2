"""Effects of torch's functions and methods, looked up by name.

The data under `data/` is generated from torch by `scripts/generate_catalog.py` and checked against torch by
`tests/against_torch/`; nothing here imports torch. Each large namespace is a file of its own, read when first asked for,
and a record becomes an `Operation` when it is first asked for.

Names are the public ones, in full: "torch.add", "torch.Tensor.add_", "torch.nn.functional.relu", "torch.nn.Linear",
"torch.optim.Adam". Other spellings of the same thing ("torch.nn.modules.linear.Linear") go through `canonical`.
An operation with overloads that differ in what they return has one record per overload as well, see `overloads`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from devls.library import records
from devls.library.effects import REQUIRED, Layer, LayerTensor, Operation, OptimizerKind, Passing, Role
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


@functools.lru_cache(maxsize=NAMES_KEPT)
def canonical(name: str) -> str:
    """The public name of what `name` spells; `name` itself when it has no other spelling.

    "torch.nn.modules.linear.Linear" is "torch.nn.Linear", "torch.functional.einsum" is "torch.einsum".
    """
    if not name.startswith("torch."):
        return name
    aliases = records.aliases()
    head, tail = name, ""
    while head:
        if head in aliases:
            return aliases[head] + tail
        head, _, last = head.rpartition(".")
        tail = f".{last}{tail}"
    return name


@functools.lru_cache(maxsize=NAMES_KEPT)
def operation(name: str) -> Operation | None:
    """The operation of that name, or None when the catalog does not describe it."""
    name = canonical(name)
    if not name.startswith("torch."):
        from devls.library import stubs  # noqa: PLC0415  with its parser, when something beside torch is asked for

        return stubs.operation(name)
    record = records.operation(name)
    if record is not None:
        return records.decoded_operation(name, *record)
    # Properties of tensors are no calls.
    return None if name.startswith("torch.Tensor.") else surrounding(name)


def surrounding(name: str) -> Operation | None:
    """Effect of calling something that is no operation on tensors (of reading it, for a property), or None.

    Its parameters are not described.
    """
    effects = records.surroundings().get(canonical(name))
    return None if effects is None else records.decoded_operation(name, "", effects)


@functools.lru_cache(maxsize=NAMES_KEPT)
def overloads(name: str) -> tuple[Operation, ...]:
    """The overloads of an operation that return different things; just the operation when there are none.

    `torch.max` is three: of a tensor, along a dimension ("torch.max.dim"), and of two tensors ("torch.max.other").
    """
    first = operation(name)
    if first is None:
        return ()
    name = canonical(name)
    others = (operation(f"{name}.{label}") for label in records.overload_labels(name))
    return (first, *(each for each in others if each is not None))


def resolve(name: str, positional: Sequence[bool], keywords: Collection[str]) -> Operation | None:
    """The overload that a call means.

    Args:
        name: the operation's name.
        positional: for each positional argument, `self` of a method included, whether it is a tensor.
        keywords: the names of the keyword arguments.

    Returns:
        The first overload that takes such a call, the operation itself when none does, None when it is not known.
    """
    candidates = overloads(name)
    for candidate in candidates[1:]:
        if _takes(candidate, positional, keywords):
            return candidate
    if len(candidates) > 1 and not _takes(candidates[0], positional, keywords):
        # Of the first argument it may not be known yet that it is a tensor: `torch.max(outputs, 1)`.
        for candidate in candidates[1:]:
            if _takes(candidate, (True, *positional[1:]), keywords):
                return candidate
    return candidates[0] if candidates else None


def _takes(candidate: Operation, positional: Sequence[bool], keywords: Collection[str]) -> bool:
    slots = [each for each in candidate.parameters if each.passing is Passing.EITHER]
    required = [each.name for each in candidate.parameters if each.default is REQUIRED]
    if len(positional) > len(slots) or not {each.name for each in candidate.parameters}.issuperset(keywords):
        return False
    given = {each.name for each in slots[: len(positional)]} | set(keywords)
    return given.issuperset(required) and all(
        is_tensor == (slot.role is not Role.OTHER) for slot, is_tensor in zip(slots, positional, strict=False)
    )


@functools.lru_cache(maxsize=NAMES_KEPT)
def layer(name: str) -> Layer | None:
    """The `torch.nn` module class of that name (or a stub's callable object, `einops.layers.torch.Rearrange`), or None."""
    name = canonical(name)
    if not name.startswith("torch."):
        from devls.library import stubs  # noqa: PLC0415  as above

        return stubs.layer(name)
    record = records.layers().get(name)
    if record is None:
        return None
    forward = record.get("forward")
    return Layer(
        name,
        records.decoded_parameters(record.get("constructor", "")),
        tuple(_layer_tensor(each) for each in record.get("tensors", "").split()),
        None if forward is None else records.decoded_operation(f"{name}.forward", *forward),
        "inplace" in record.get("flags", ()),
        record.get("container", ""),
        "submodules" in record.get("flags", ()),
    )


def _layer_tensor(text: str) -> LayerTensor:
    """One of "weight", "bias!bias=False", "running_mean@!track_running_stats=False", "pos_weight@?"."""
    name, _, unless = text.partition("!")
    return LayerTensor(name.rstrip("@?"), "@" in name, unless.replace("|", " or "), "?" in name)


@functools.lru_cache(maxsize=NAMES_KEPT)
def optimizer(name: str) -> OptimizerKind | None:
    """The `torch.optim` class of that name, or None."""
    name = canonical(name)
    record = records.optimizers().get(name)
    if record is None:
        return None
    constructor, state, flags = record
    return OptimizerKind(name, records.decoded_parameters(constructor), state, "closure" in flags)


def exists(name: str) -> bool | None:
    """Whether torch has an attribute of that name; None when the catalog does not know the namespace.

    Private names may be there without being known, and names of an older release that is still supported are there, too.
    """
    space, _, short = name.rpartition(".")
    known = records.members(space)
    if known is None or (short.startswith("_") and short not in known):
        return None
    return short in known or name in records.removed()


def is_new(name: str) -> bool:
    """Whether the oldest supported release of torch lacks a name, which this one has."""
    return name in records.added()[1]


def lacked_by(version: str) -> bool:
    """Whether a release of torch ("2.4.1+cu121") lacks what `is_new`: it is the oldest supported one, or one before."""
    return _release(version) <= _release(records.added()[0])


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def deprecated(name: str) -> str | None:
    """Replacement that torch wants for an old name (which may still work, or only raise), or None."""
    return records.deprecated().get(canonical(name))


def members(space: str) -> frozenset[str] | None:
    """The names that exist in a namespace ("torch.cuda", "torch.Tensor"), or None when it is not known."""
    return records.members(space)


@functools.lru_cache(maxsize=NAMES_KEPT)
def host_reader(name: str) -> bool:
    """Whether the function turns tensor arguments into numpy arrays.

    Such a function fails, as `Tensor.numpy()` does, for a tensor on an accelerator and for one that requires grad
    (numpy, matplotlib, sklearn, pandas).
    """
    if name.startswith("torch."):
        return False
    from devls.library import stubs  # noqa: PLC0415  as above

    return stubs.host_reader(name)
