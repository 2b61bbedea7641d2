import copy

import torch


class ModelEMA:
    def __init__(self, model, decay=0.99, warmup=10):
        self.module = copy.deepcopy(model).eval()
        self.module.requires_grad_(False)
        self.decay, self.warmup, self.updates = decay, warmup, 0

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        d = self.decay * (1 - 0.5 ** (self.updates / self.warmup))
        source = model.state_dict()
        for name, value in self.module.state_dict().items():
            if value.dtype.is_floating_point:
                value.mul_(d).add_(source[name], alpha=1 - d)
            else:
                value.copy_(source[name])
