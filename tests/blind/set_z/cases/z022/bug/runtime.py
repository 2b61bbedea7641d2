from contextlib import nullcontext

import torch


def model_device(model) -> torch.device:
    return next(model.parameters()).device


def wants_amp(model, enabled=True) -> bool:
    """Mixed precision only pays on an accelerator."""
    return enabled and model_device(model) == "cuda"


class Runtime:
    def __init__(self, model, amp=True):
        self.model = model
        self.use_amp = wants_amp(model, amp)

    def precision(self):
        return torch.bfloat16 if self.use_amp else torch.float32

    @torch.no_grad()
    def predict(self, x):
        x = x.to(model_device(self.model))
        return self.model(x).to(self.precision())
