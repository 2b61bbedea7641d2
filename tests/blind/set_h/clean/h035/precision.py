"""A small precision switch; `amp.autocast()` and `amp.scaler()` follow the device."""
import contextlib

import torch


class Amp:
    def __init__(self, device, enabled=True):
        self.device = torch.device(device)
        self.enabled = enabled and self.device.type == "cuda"

    def autocast(self):
        if not self.enabled:
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=torch.float16)

    def scaler(self):
        return torch.amp.GradScaler(self.device.type, enabled=self.enabled)


FloatTensor = torch.Tensor


def check(x: FloatTensor) -> FloatTensor:
    if not isinstance(x, torch.Tensor) or x.dtype is not torch.float32:
        raise TypeError(f"expected a float32 tensor, got {type(x).__name__}")
    return x
