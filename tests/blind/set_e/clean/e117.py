import torch
from torch import nn


class MagnitudePruner:
    """Keeps a mask per weight matrix; gradients of pruned weights are zeroed by hooks."""

    def __init__(self, model, sparsity):
        self.model = model
        self.masks, self.handles = {}, []
        for name, p in model.named_parameters():
            if p.dim() > 1:
                k = max(1, int(sparsity * p.numel()))
                threshold = p.detach().abs().flatten().kthvalue(k).values
                self.masks[name] = (p.detach().abs() > threshold).to(p.dtype)
        self.apply()

    def attach(self):
        for name, p in self.model.named_parameters():
            if name in self.masks:
                mask = self.masks[name]
                self.handles.append(p.register_hook(lambda g, mask=mask: g * mask))

    def detach(self):
        for h in self.handles:
            h.remove()
        self.handles.clear()

    def to(self, device):
        self.masks = {k: v.to(device) for k, v in self.masks.items()}
        return self

    @torch.no_grad()
    def apply(self):
        for name, p in self.model.named_parameters():
            if name in self.masks:
                p.mul_(self.masks[name])

    def report(self):
        return {k: 1 - v.mean().item() for k, v in self.masks.items()}


def finetune(model, pruner, batches, lr=0.01):
    device = next(model.parameters()).device
    pruner.to(device)
    pruner.attach()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for x, y in batches:
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
        optimizer.step()
        pruner.apply()
    pruner.detach()
