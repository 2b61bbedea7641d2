"""Small trainable adapters in a frozen transformer."""
import torch
from torch import nn


class Bottleneck(nn.Module):
    def __init__(self, dim, r):
        super().__init__()
        self.down, self.up = nn.Linear(dim, r), nn.Linear(r, dim)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, x):
        return x + self.up(torch.relu(self.down(x)))


class Adapted(nn.Module):
    def __init__(self, layer, dim, r):
        super().__init__()
        self.layer = layer
        self.adapter = Bottleneck(dim, r)

    def forward(self, x):
        return self.adapter(self.layer(x))


def base_model(dim=16, depth=2):
    return nn.Sequential(*[nn.TransformerEncoderLayer(dim, 2, 2 * dim, batch_first=True) for _ in range(depth)])


def freeze(module):
    module.requires_grad_(False)
    return module.eval()


def insert_adapters(base, dim=16, r=4):
    freeze(base)
    return nn.Sequential(*[Adapted(layer, dim, r) for layer in base])


def trainable(module):
    n = sum(p.numel() for p in module.parameters() if p.requires_grad)
    total = sum(p.numel() for p in module.parameters())
    return n, total


def optimizer_for(module, lr=1e-3):
    return torch.optim.AdamW((p for p in module.parameters() if p.requires_grad), lr=lr)
