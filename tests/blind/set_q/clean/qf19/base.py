import torch
from torch import nn


class HasDevice(nn.Module):
    @property
    def device(self):
        for t in (*self.parameters(), *self.buffers()):
            return t.device
        return torch.device("cpu")

    @property
    def dtype(self):
        return next((p.dtype for p in self.parameters() if p.is_floating_point()), torch.get_default_dtype())

    def zeros(self, *shape):
        return torch.zeros(*shape, device=self.device, dtype=self.dtype)
