import copy
import math

import torch
from torch import nn


class MomentumEncoder(nn.Module):
    def __init__(self, online, base=0.99):
        super().__init__()
        self.net = copy.deepcopy(online)
        self.net.requires_grad_(False)
        self.base = base

    def momentum(self, step, total):
        return 1 - (1 - self.base) * (math.cos(math.pi * step / total) + 1) / 2

    @torch.no_grad()
    def follow(self, online, step, total):
        m = self.momentum(step, total)
        for mine, theirs in zip(self.net.parameters(), online.parameters()):
            mine.lerp_(theirs, 1 - m)
        for mine, theirs in zip(self.net.buffers(), online.buffers()):
            mine.copy_(theirs)

    @torch.no_grad()
    def forward(self, x):
        return self.net(x)
