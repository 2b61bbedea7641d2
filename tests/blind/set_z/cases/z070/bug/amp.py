import contextlib
import logging

import torch

logger = logging.getLogger(__name__)


class MixedPrecision:
    """Autocast and loss scaling behind one switch."""

    def __init__(self, device, enabled=True, dtype=torch.bfloat16, init_scale=1024.0):
        self.device_type = torch.device(device).type
        self.enabled, self.dtype = enabled, dtype
        self.scaler = torch.amp.GradScaler(self.device_type, enabled=enabled, init_scale=init_scale)

    def cast(self):
        if not self.enabled:
            return contextlib.nullcontext()
        return torch.autocast(self.device_type, dtype=self.dtype)

    def backward(self, loss):
        self.scaler.scale(loss).backward()

    def optimizer_step(self, optimizer, params=None, max_norm=None):
        if max_norm is not None:
            self.scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(params, max_norm)
        self.scaler.step(optimizer)

    def state_dict(self):
        return {"scaler": self.scaler.state_dict(), "enabled": self.enabled}
