"""Builds a model without memory first and fills it from a file later."""
import torch
from torch import nn


class Rms(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * x.pow(2).mean(-1, keepdim=True).add(1e-6).rsqrt() * self.weight


class Mlp(nn.Module):
    def __init__(self, d=8, mult=2):
        super().__init__()
        self.norm = Rms(d)
        self.gate, self.up = nn.Linear(d, mult * d, bias=False), nn.Linear(d, mult * d, bias=False)
        self.down = nn.Linear(mult * d, d, bias=False)

    def reset_parameters(self):
        nn.init.ones_(self.norm.weight)
        for lin in (self.gate, self.up, self.down):
            nn.init.trunc_normal_(lin.weight, std=0.02)

    def forward(self, x):
        h = self.norm(x)
        return x + self.down(nn.functional.silu(self.gate(h)) * self.up(h))


def skeleton(**kw):
    with torch.device("meta"):
        return Mlp(**kw)


def fresh(device, **kw):
    model = skeleton(**kw).to_empty(device=device)
    model.reset_parameters()
    return model


def from_file(path, device, **kw):
    model = skeleton(**kw)
    weights = torch.load(path, map_location=device, mmap=False, weights_only=True)
    model.load_state_dict(weights, assign=True)
    return model.to(device)


def quantize(model, bits=8):
    scales = {}
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.ndim < 2:
                continue
            scale = p.abs().amax(1, keepdim=True) / (2 ** (bits - 1) - 1)
            p.copy_((p / scale).round() * scale)
            scales[name] = scale.squeeze(1).cpu()
    return scales
