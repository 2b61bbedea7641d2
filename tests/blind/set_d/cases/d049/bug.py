import torch
from torch import nn


class HardGate(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.score = nn.Parameter(torch.zeros(n))

    def forward(self, x):
        soft = torch.sigmoid(self.score)
        gate = soft.round()
        return x * gate
