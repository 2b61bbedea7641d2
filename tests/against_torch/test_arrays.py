"""What tensors and the objects of numpy have in common: `hasattr` tells them apart by the rest."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import torch

import devls.engine.core.machine  # noqa: F401  the whole of it, before its parts
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
