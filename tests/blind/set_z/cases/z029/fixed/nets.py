import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self, dim=8, width=16):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(dim, width), nn.ReLU(), nn.Linear(width, width))
        self.out_dim = width

    def forward(self, x):
        return self.layers(x).relu()


class FineTuner(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(backbone.out_dim, classes)
        self.frozen = False

    def freeze(self, part):
        if part == "none":
            return self
        if part == "backbone":
            self.backbone.requires_grad_(False)
            self.frozen = True
        return self

    def features(self, x):
        with torch.set_grad_enabled(not self.frozen):
            return self.backbone(x)

    def forward(self, x):
        return self.head(self.features(x))

    def train(self, mode=True):
        super().train(mode)
        if self.frozen:
            self.backbone.eval()
        return self
