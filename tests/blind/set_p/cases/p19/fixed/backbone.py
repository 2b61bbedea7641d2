import torch
import torch.nn as nn


class Backbone(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 24), nn.ReLU())
        self.fc = nn.Linear(24, classes)

    def forward(self, x):
        return self.fc(self.trunk(x))


def pretrained():
    torch.manual_seed(7)
    return Backbone()


def replace_head(model, classes):
    width = model.fc.in_features
    model.fc = nn.Linear(width, classes)
    return model
