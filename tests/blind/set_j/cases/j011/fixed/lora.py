import math

import torch
import torch.nn as nn


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r=4, alpha=8, device=None):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.scale = alpha / r
        w = torch.empty(r, base.in_features)
        nn.init.kaiming_uniform_(w, a=math.sqrt(5))
        self.lora_a = nn.Parameter(w.to(device))
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, r, device=device))

    def forward(self, x):
        return self.base(x) + (x @ self.lora_a.T @ self.lora_b.T) * self.scale


def inject(module, device, r=4):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, LoRALinear(child, r=r, device=device))
        else:
            inject(child, device, r)
    return module
