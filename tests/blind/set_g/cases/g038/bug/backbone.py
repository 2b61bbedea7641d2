import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.out_features = width
        self.layers = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.ReLU(), nn.Conv2d(width, width, 3, 2, 1), nn.ReLU())

    def forward(self, x):
        return self.layers(x).mean(dim=(-2, -1))


class Classifier(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.fc = nn.Linear(backbone.out_features, classes)

    def freeze_backbone(self):
        for module in self.backbone.modules():
            module.requires_grad = False

    def forward(self, x):
        return self.fc(self.backbone(x))


def pretrained(width=16, seed=0):
    torch.manual_seed(seed)
    return Backbone(width)
