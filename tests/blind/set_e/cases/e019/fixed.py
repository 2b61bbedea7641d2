import math

import torch
from torch import nn


class Base(nn.Module):
    def __init__(self, d=8, layers=2):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(d, d) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


class LoRALinear(nn.Module):
    def __init__(self, base, r=2, alpha=4):
        super().__init__()
        self.base = base
        self.a = nn.Parameter(torch.empty(r, base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, r))
        self.scale = alpha / r
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.a.t() @ self.b.t())


class Adapter(nn.Module):
    def __init__(self, base, classes=3, d=8):
        super().__init__()
        self.base = base
        for module in self.base.modules():
            if isinstance(module, nn.Linear):
                module.weight.requires_grad_(False)
                module.bias.requires_grad_(False)
        self.lora = nn.ModuleList(LoRALinear(layer) for layer in base.layers)
        self.head = nn.Linear(d, classes)

    def forward(self, x):
        for layer in self.lora:
            x = torch.relu(layer(x))
        return self.head(x)


def trainable_fraction(model):
    total = sum(p.numel() for p in model.parameters())
    return sum(p.numel() for p in model.parameters() if p.requires_grad) / total
