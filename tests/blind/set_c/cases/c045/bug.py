import torch
from torch import nn


class ScheduledSampler(nn.Module):
    """Learned per-step mixing weights between two experts."""

    def __init__(self, steps, temperature=1.0):
        super().__init__()
        self.logits = nn.Parameter(torch.arange(steps))
        self.temperature = temperature

    def weights(self):
        return torch.sigmoid(self.logits / self.temperature)

    def forward(self, step, a, b):
        w = self.weights()[step]
        return w * a + (1 - w) * b


class MixtureModel(nn.Module):
    def __init__(self, d, steps=10):
        super().__init__()
        self.a = nn.Linear(d, d)
        self.b = nn.Sequential(nn.Linear(d, d), nn.Tanh())
        self.mix = ScheduledSampler(steps)
        self.steps = steps

    def forward(self, x):
        for t in range(self.steps):
            x = self.mix(t, self.a(x), self.b(x))
        return x
