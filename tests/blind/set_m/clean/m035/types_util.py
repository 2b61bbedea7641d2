from typing import Union
import numpy as np
import torch

ArrayLike = Union[np.ndarray, torch.Tensor, list]


def to_tensor(value: ArrayLike, device: torch.device) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value.to(device)
    return torch.as_tensor(value, dtype=torch.get_default_dtype(), device=device)


def describe(t: torch.Tensor) -> str:
    if isinstance(t, (torch.FloatTensor, torch.DoubleTensor)):
        return f"host {tuple(t.shape)}"
    return f"{t.device} {tuple(t.shape)}"
