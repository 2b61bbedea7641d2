"""What the engine takes for granted of objects of numpy, and of tensors that processes hand on."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import torch
from torch import distributed

import devls.engine.core.machine  # noqa: F401  the whole of it, before its parts
from devls.engine.checks import device_selection
from devls.engine.torch.tensors import host, numpy_dtypes


def test_what_tensors_share_with_objects_of_numpy() -> None:
    spaces = (np, np.random, np.polynomial, np.ma)
    classes = {each for space in spaces for each in vars(space).values() if inspect.isclass(each)}
    assert np.ndarray in classes
    of_numpy = {name for each in classes if not issubclass(each, BaseException) for name in dir(each)}
    shared = {name for name in of_numpy & set(dir(torch.Tensor)) if not name.startswith("_")}
    assert {"shape", "dtype"} <= shared
    assert shared <= numpy_dtypes.SHARED
    assert not {"cpu", "detach", "numpy", "to", "requires_grad"} & numpy_dtypes.SHARED


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted(host._UNIVERSAL))
def test_functions_that_go_element_by_element_make_tensors_of_tensors(name: str) -> None:
    function = getattr(np, name)
    assert isinstance(function, np.ufunc)
    whole = name in ("logical_and", "logical_or", "logical_xor", "logical_not")
    tensor = torch.ones(3, dtype=torch.bool) if whole else torch.full((3,), 0.5)
    with np.errstate(all="ignore"):
        made = function(*[tensor] * function.nin)
    assert isinstance(made, torch.Tensor)


# What the interpreter takes for granted of tensors that processes hand on to each other


def test_cards_hand_on_what_is_on_cuda() -> None:
    """NCCL takes tensors from CUDA only, and is what torch takes for them."""
    assert distributed.broadcast.__module__.startswith(device_selection.OF_PROCESSES)
    assert distributed.Backend.backend_capability["nccl"] == ["cuda"]
    assert distributed.Backend.default_device_backend_map["cuda"] == "nccl"
