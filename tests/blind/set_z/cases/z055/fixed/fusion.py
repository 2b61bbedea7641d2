from typing import Dict

import torch
from torch import nn


class ModalityEncoder(nn.Module):
    def __init__(self, cin, dim):
        super().__init__()
        self.cin = cin
        self.net = nn.Sequential(nn.Linear(cin, dim), nn.ReLU())

    def forward(self, x):
        return self.net(x)


class LateFusion(nn.Module):
    """Encoders of different width, joined by one projection."""

    def __init__(self, dims: Dict[str, int], width: Dict[str, int], out=10, classes=3):
        super().__init__()
        self.encoders = nn.ModuleDict({k: ModalityEncoder(d, width[k]) for k, d in dims.items()})
        self.joint = sum(width.values())
        self.out = out
        self.project = nn.Linear(self.joint, out)
        self.classifier = nn.Linear(out, classes)

    def fuse(self, parts):
        joined = torch.cat(parts, dim=-1)
        return self.project(joined).relu()

    def forward(self, batch):
        return self.classifier(self.fuse([self.encoders[k](batch[k]) for k in self.encoders]))
