"""Results without dimensions, of operands that have some: a 0-dim tensor on the CPU is no mix of devices."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

import torch

import devls.analysis  # noqa: F401  the engine is imported from its front door
from devls.engine.torch.tensors.shapes import LOSE_DIMENSIONS
from devls.library.effects import Rank
from devls.library.lookup import Library

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACES = {
    "torch": torch,
    "torch.linalg": torch.linalg,
    "torch.special": torch.special,
    "torch.fft": torch.fft,
    "torch.nn.functional": torch.nn.functional,
    "torch.Tensor": torch.Tensor,
}
_NO_OPERATION = re.compile(r"^[A-Z_]|save|load|import|export|storage|share|file|^set_|profil|script")


def inputs() -> Iterator[tuple[Any, ...]]:
    vector, matrix = torch.rand(3), torch.rand(3, 3)
    yield from (
        (vector,),
        (matrix,),
        (torch.eye(3) * 2,),
        (vector, vector),
        (matrix, matrix),
        (matrix, vector),
    )
    yield from (
        (vector, 0),
        (torch.rand(1),),
        (torch.arange(3), torch.arange(3)),
        (matrix, 2),
        (vector, torch.tensor(1.0)),
    )


def has_none(result: object) -> bool:
    parts = result if isinstance(result, (tuple, list)) else (result,)
    return any(isinstance(each, torch.Tensor) and each.ndim == 0 for each in parts)


def test_what_may_lose_its_dimensions() -> None:
    """Every function and method of which the catalog does not say what rank its result has."""
    library, asked, unknown = Library(), 0, set()
    for place, holder in PLACES.items():
        for short in dir(holder):
            operation = None if _NO_OPERATION.search(short) else library.operation(f"{place}.{short}")
            if operation is None or operation.rank is not Rank.UNKNOWN or short in LOSE_DIMENSIONS:
                continue
            asked += 1
            for given in inputs():
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        result = getattr(holder, short)(*given)
                except Exception:  # noqa: BLE001, S112  many of these want something else
                    continue
                if has_none(result):
                    unknown.add(short)
    assert asked > 100
    assert not unknown
