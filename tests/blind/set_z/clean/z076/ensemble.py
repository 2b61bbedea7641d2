from typing import Callable, List

import torch
from torch import nn
import torch.nn.functional as F


class DeepEnsemble:
    """Plain container of independent members (not a Module): it moves and trains them itself."""

    def __init__(self, make: Callable[[], nn.Module], n: int):
        self.members: List[nn.Module] = [make() for _ in range(n)]

    def to(self, device):
        for m in self.members:
            m.to(device)
        return self

    def train(self, mode=True):
        for m in self.members:
            m.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def parameters(self):
        for m in self.members:
            yield from m.parameters()

    def state_dict(self):
        return {str(i): m.state_dict() for i, m in enumerate(self.members)}

    def loss(self, x, y):
        return sum(F.cross_entropy(m(x), y) for m in self.members)

    @torch.no_grad()
    def predict(self, x):
        probs = torch.stack([m(x).softmax(-1) for m in self.members])
        mean = probs.mean(0)
        entropy = -(mean * mean.clamp(min=1e-8).log()).sum(-1)
        return mean, entropy


class SharedTrunk(nn.Module):
    def __init__(self, trunk, heads):
        super().__init__()
        self.trunk = trunk
        layers = [nn.Linear(8, 3) for _ in range(heads)]
        self.heads = nn.ModuleList(layers)
        self.order = layers[::-1]

    def forward(self, x):
        h = self.trunk(x)
        return torch.stack([head(h) for head in self.order]).mean(0)
