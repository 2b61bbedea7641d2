import contextlib

import torch


class Precision:
    """Mixed precision on an accelerator, plain float32 elsewhere."""

    def __init__(self, device, dtype=torch.float16):
        self.device_type, self.dtype = device.type, dtype
        self.enabled = device.type == "cuda"
        self.scaler = torch.amp.GradScaler(device.type, enabled=self.enabled)

    def forward(self):
        if not self.enabled:
            return contextlib.nullcontext()
        return torch.autocast(self.device_type, dtype=self.dtype)

    def backward(self, loss):
        self.scaler.scale(loss).backward()

    def step(self, optimizer, params, max_norm):
        self.scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(params, max_norm)
        self.scaler.step(optimizer)
        self.scaler.update()
        return norm

    def state_dict(self):
        return self.scaler.state_dict()
