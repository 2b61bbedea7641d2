import copy

import torch


class ModelEMA:
    """Exponential moving average of everything in the state dict."""

    def __init__(self, model, decay=0.99, updates=0):
        self.module = copy.deepcopy(model).eval()
        self.decay = decay
        self.updates = updates
        for p in self.module.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        msd = model.module.state_dict() if hasattr(model, "module") else model.state_dict()
        for k, v in self.module.state_dict().items():
            if v.dtype.is_floating_point:
                v.mul_(self.decay).add_(msd[k], alpha=1 - self.decay)

    def state_dict(self):
        return {"module": self.module.state_dict(), "updates": self.updates}
