"""Names to what the library knows: the one object through which the interpreter asks."""

from __future__ import annotations

import builtins
import functools
import math
from typing import TYPE_CHECKING, Final

from devls.library import catalog
from devls.values.value import Const, LibraryName
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devls.library.effects import Operation, OptimizerKind

_BUILTINS: Final = {
    name: LibraryName(f"builtins.{name}") for name in dir(builtins) if not name.startswith("__")
}
_BUILTINS["__name__"] = LibraryName("builtins.__name__")
_BUILTINS["__file__"] = LibraryName("builtins.__file__")

_CONSTANTS: Final = {
    f"{package}.{name}": Const(getattr(math, name))
    for package in ("math", "numpy", "torch")
    for name in ("e", "inf", "nan", "pi")
} | {"math.tau": Const(math.tau), "typing.TYPE_CHECKING": Const(False)}

# Spellings of one thing that the generated aliases do not cover, being no part of torch's own tree.
_ALIASES: Final = {"np": "numpy", "pytorch_lightning": "lightning", "lightning.pytorch": "lightning"}

# Frameworks that run the user's code themselves, by ways that cannot be followed from outside, and other worlds.
_LEFT_ALONE: Final = frozenset(
    "accelerate apex deepspeed fabric fastai functorch horovod ignite jax lightning lightning_fabric ray tensorflow"
    " torchaudio torchtext transformers triton".split()
)


TENSOR_LIBRARIES: Final = _LEFT_ALONE | {"einops", "peft", "pytorch_lightning", "timm"}
"""Packages, beside those whose names begin with torch, that give tensors or modules to whoever imports them."""


@functools.cache
def _described() -> frozenset[str]:
    from devls.library import stubs  # noqa: PLC0415  with its parser, when a package beside torch is imported

    return frozenset({"torch", *stubs.packages()})


class Library:
    """Effects of torch and its friends, by canonical name."""

    def canonical(self, name: str) -> str:
        """The one spelling under which a name is known."""
        return _canonical(name)

    def attribute(self, owner: LibraryName, name: str) -> object:
        """`owner.name` for a library module or class."""
        return _attribute(owner.name, name)

    def builtin(self, name: str) -> LibraryName | None:
        """A name that every module has."""
        return _BUILTINS.get(name)

    def knows(self, package: str) -> bool:
        """Whether a package is described here, or is left alone, so that nobody has to read its source."""
        return package in _described() or package in _LEFT_ALONE or _canonical(package) != package

    def public_names(self, module: str) -> Sequence[str]:
        """Names that `from module import *` binds, as far as they matter."""
        known = catalog.members(module)
        return sorted(name for name in known or () if not name.startswith("_"))

    def operation(self, name: str) -> Operation | None:
        """Effect of an operation, if anybody has described it."""
        return catalog.operation(name)

    def surrounds(self, name: str) -> bool:
        """Whether a name of torch's is no operation on tensors, as the catalog says."""
        return catalog.surrounding(name) is not None

    def resolve(self, name: str, positional: Sequence[bool], keywords: Sequence[str]) -> Operation | None:
        """The overload that a call means."""
        return catalog.resolve(name, positional, keywords)

    layer = staticmethod(catalog.layer)  # a cache that is asked of each object: with no call between

    def optimizer(self, name: str) -> OptimizerKind | None:
        """A class of `torch.optim`."""
        return catalog.optimizer(name)

    def exists(self, name: str) -> bool | None:
        """Whether torch has a name; None where the catalog cannot tell."""
        return catalog.exists(name)

    def reads_on_host(self, name: str) -> bool:
        """Whether a function converts tensors given to it to numpy."""
        return catalog.host_reader(name)


@functools.lru_cache(maxsize=NAMES_KEPT)
def _attribute(owner: str, name: str) -> object:
    full = _canonical(f"{owner}.{name}")
    constant = _CONSTANTS.get(full)
    return LibraryName(full) if constant is None else constant


@functools.lru_cache(maxsize=NAMES_KEPT)
def _canonical(name: str) -> str:
    for alias, full in _ALIASES.items():
        if name == alias or name.startswith(f"{alias}."):
            name = full + name[len(alias) :]
    return catalog.canonical(name)
