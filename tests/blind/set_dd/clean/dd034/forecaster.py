import torch
from torch import nn


class NBeatsBlock(nn.Module):
    def __init__(self, back, fore, width):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(back, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.back, self.fore = nn.Linear(width, back), nn.Linear(width, fore)

    def forward(self, x):
        h = self.fc(x)
        return self.back(h), self.fore(h)


class NBeats(nn.Module):
    def __init__(self, back=24, fore=6, width=32, depth=3, quantiles=3):
        super().__init__()
        self.shape = (fore, quantiles)
        self.blocks = nn.ModuleList([NBeatsBlock(back, fore * quantiles, width) for _ in range(depth)])

    def forward(self, x):
        total = 0.0
        for block in self.blocks:
            b, f = block(x)
            x = x - b
            total = total + f
        return total.view(len(total), *self.shape)
