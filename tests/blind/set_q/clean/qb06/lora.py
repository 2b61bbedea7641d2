import math

import torch
import torch.nn as nn


class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha=4.0):
        super().__init__()
        self.linear = linear
        self.A = nn.Parameter(torch.empty(rank, linear.in_features))
        self.B = nn.Parameter(torch.zeros(linear.out_features, rank))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scaling = alpha / rank
        self.merged = False

    def forward(self, x):
        out = self.linear(x)
        if not self.merged:
            out = out + (x @ self.A.t() @ self.B.t()) * self.scaling
        return out


def inject(model, rank, targets):
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if name in targets and isinstance(child, nn.Linear):
                setattr(parent, name, LoRALinear(child, rank))
    return model


def mark_only_lora(model, extra=()):
    for name, p in model.named_parameters():
        p.requires_grad_(name.endswith((".A", ".B")) or name.split(".")[0] in extra)


@torch.no_grad()
def merge(model):
    for m in model.modules():
        if isinstance(m, LoRALinear) and not m.merged:
            m.linear.weight += m.scaling * (m.B @ m.A)
            m.merged = True


def lora_state(model):
    return {k: v.cpu() for k, v in model.state_dict().items() if k.endswith((".A", ".B"))}
