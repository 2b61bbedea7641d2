import torch
from torch import nn


class SoftArgmax(nn.Module):
    def __init__(self, size, beta=10.0):
        super().__init__()
        self.beta = nn.Parameter(torch.tensor(beta))
        self.register_buffer("axis", torch.arange(size, dtype=torch.float), persistent=False)

    def forward(self, heat):
        p = (self.beta * heat.flatten(2)).softmax(-1).view_as(heat)
        x = p.sum(2) @ self.axis
        y = p.sum(3) @ self.axis
        return torch.stack([x, y], -1)


def hard_argmax(heat):
    where = heat.flatten(2).argmax(-1)
    w = heat.size(-1)
    return torch.stack([where % w, torch.div(where, w, rounding_mode="floor")], -1).to(heat.dtype)
