import copy

import torch


class ModelEMA:
    def __init__(self, model, decay=0.995, warmup=10):
        self.module = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay, self.warmup, self.updates = decay, warmup, 0

    def to(self, device):
        self.module.to(device)
        return self

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        keep = min(self.decay, self.updates / (self.updates + self.warmup))
        for ours, theirs in zip(self.module.parameters(), model.parameters(), strict=True):
            ours.mul_(keep).add_(theirs, alpha=1 - keep)
        for ours, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
            ours.copy_(theirs)
