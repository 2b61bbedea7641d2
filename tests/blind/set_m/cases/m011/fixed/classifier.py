import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)

    def forward(self, x):
        return self.norm(self.stem(x)).relu().mean(dim=(2, 3))


class Classifier(nn.Module):
    def __init__(self, n_classes, freeze=True):
        super().__init__()
        self.backbone = Backbone()
        self.fc = nn.Linear(8, n_classes)
        if freeze:
            self.freeze()

    def freeze(self):
        self.backbone.requires_grad_(False)

    def forward(self, x):
        return self.fc(self.backbone(x))
