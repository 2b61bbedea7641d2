import torch
from torch import nn


class Pretrained(nn.Module):
    """Encoder with a classification head made for the original task."""

    def __init__(self, dim=8, width=12, classes=10):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, width), nn.ReLU())
        self.head = nn.Linear(width, classes)

    def reset_head(self, classes):
        device = self.head.weight.device
        self.head = nn.Linear(self.head.in_features, classes, device=device)
        nn.init.zeros_(self.head.bias)
        return self

    def forward(self, x):
        return self.head(self.encoder(x))
