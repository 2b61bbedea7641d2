"""What tensors and the objects of numpy have in common: `hasattr` tells them apart by the rest."""

from __future__ import annotations

import inspect

import numpy as np
import torch

from devls.interpreter import arrays


def test_what_tensors_share_with_objects_of_numpy() -> None:
    spaces = (np, np.random, np.polynomial, np.ma)
    classes = {each for space in spaces for each in vars(space).values() if inspect.isclass(each)}
    assert np.ndarray in classes
    of_numpy = {name for each in classes if not issubclass(each, BaseException) for name in dir(each)}
    shared = {name for name in of_numpy & set(dir(torch.Tensor)) if not name.startswith("_")}
    assert {"shape", "dtype"} <= shared
    assert shared <= arrays.SHARED
    assert not {"cpu", "detach", "numpy", "to", "requires_grad"} & arrays.SHARED
