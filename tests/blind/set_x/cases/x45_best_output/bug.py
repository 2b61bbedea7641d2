"""Neural style-like optimisation of an image through a decoder; the best result is kept."""
import copy
from dataclasses import dataclass, field
from typing import Any, Dict

import torch
from torch import nn


@dataclass
class Best:
    """Keeps the state that had the lowest value so far."""

    value: float = float("inf")
    snapshot: Dict[str, Any] = field(default_factory=dict)

    def offer(self, value: float, **state):
        if value < self.value:
            self.value = value
            self.snapshot = copy.deepcopy(state)


class Decoder(nn.Module):
    def __init__(self, latent=8, side=8):
        super().__init__()
        self.side = side
        self.net = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, side * side))

    def forward(self, z):
        return self.net(z).sigmoid().view(-1, self.side, self.side)


def total_variation(img):
    return (img[:, 1:] - img[:, :-1]).abs().mean() + (img[:, :, 1:] - img[:, :, :-1]).abs().mean()


def invert(decoder, target, steps=6, lr=0.1, tv=0.01):
    decoder.eval().requires_grad_(False)
    z = torch.zeros(target.size(0), 8, requires_grad=True)
    opt = torch.optim.Adam([z], lr=lr)
    best = Best()
    for step in range(steps):
        image = decoder(z)
        loss = (image - target).pow(2).mean() + tv * total_variation(image)
        opt.zero_grad()
        loss.backward()
        best.offer(loss.item(), image=image, step=step)
        opt.step()
    return best


if __name__ == "__main__":
    best = invert(Decoder(), torch.rand(2, 8, 8))
    print(best.value, best.snapshot["step"])
