import torch
from torch import nn


class Teacher(nn.Module):
    def __init__(self, dim=16, classes=5):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, classes))
        self.requires_grad_(False)

    def forward(self, x):
        return self.net(x)

    @torch.inference_mode()
    def confidence(self, x):
        """A number for the log."""
        return self(x).softmax(-1).amax(-1).mean().item()

    @torch.no_grad()
    def soft_targets(self, x, temperature):
        return (self(x) / temperature).softmax(-1)
