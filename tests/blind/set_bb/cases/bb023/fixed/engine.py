import torch
from torch import nn


class Scaled:
    """Wraps optimizer and GradScaler behind one call."""

    def __init__(self, optimizer, device, clip=1.0):
        self.optimizer, self.clip = optimizer, clip
        self.scaler = torch.amp.GradScaler(device.type, init_scale=1024.0)

    def parameters(self):
        return [p for g in self.optimizer.param_groups for p in g["params"]]

    def __call__(self, loss):
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        norm = nn.utils.clip_grad_norm_(self.parameters(), self.clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return norm.item()

    def end_of_epoch(self):
        return self.scaler.get_scale()

    def state_dict(self):
        return {"optimizer": self.optimizer.state_dict(), "scaler": self.scaler.state_dict()}
