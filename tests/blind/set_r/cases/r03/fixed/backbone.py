import torch.nn as nn


class SmallBackbone(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.layer1 = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU())
        self.layer2 = nn.Sequential(nn.Conv2d(width, width * 2, 3, stride=2, padding=1), nn.ReLU())
        self.pool = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        return self.pool(self.layer2(self.layer1(x))).flatten(1)


class Classifier(nn.Module):
    def __init__(self, n_class, train_backbone=False):
        super().__init__()
        self.backbone = SmallBackbone()
        self.head = nn.Linear(16, n_class)
        if not train_backbone:
            for p in self.backbone.parameters():
                p.requires_grad_(False)

    def forward(self, x):
        return self.head(self.backbone(x))
