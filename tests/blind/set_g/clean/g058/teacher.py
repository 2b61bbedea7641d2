import torch
from torch import nn


class Teacher:
    """Frozen network that only hands out soft targets."""

    def __init__(self, net, temperature=3.0):
        self.net = net.eval()
        self.temperature = temperature
        for p in self.net.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def __call__(self, x):
        return (self.net(x) / self.temperature).softmax(-1)


def make_net(width, device):
    return nn.Sequential(nn.Linear(8, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, 4)).to(device)
