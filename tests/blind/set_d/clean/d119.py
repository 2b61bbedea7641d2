import torch
from torch import nn


class Noise(nn.Module):
    def __init__(self, sigma):
        super().__init__()
        self.sigma = sigma

    def forward(self, x):
        if not self.training:
            return x
        n = torch.randn(x.shape).to(x)
        keep = torch.rand(x.size(0), 1, device=x.device).ge(0.1).type_as(x)
        return (x + self.sigma * n) * keep


def positions(n):
    return torch.arange(n).float().log1p().tolist()
