import torch
import torch.nn as nn


class LoRA(nn.Module):
    def __init__(self, base, rank, alpha=16):
        super().__init__()
        self.base, self.scale = base, alpha / rank
        factory = {"device": base.weight.device, "dtype": base.weight.dtype}
        self.down = nn.Parameter(torch.randn(rank, base.in_features, **factory) / rank)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank, **factory))

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.down.T) @ self.up.T

    @torch.no_grad()
    def merge(self):
        self.base.weight += self.scale * self.up @ self.down
        return self.base


def wrap(model, rank=2):
    model.requires_grad_(False)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and not isinstance(parent, LoRA):
                setattr(parent, name, LoRA(child, rank))
    return [p for p in model.parameters() if p.requires_grad]


def unwrap(model):
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, LoRA):
                setattr(parent, name, child.merge())
    return model
