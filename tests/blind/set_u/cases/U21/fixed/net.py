import torch
import torch.nn as nn


def stage(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, 2, 1, bias=False), nn.GroupNorm(4, cout), nn.ReLU())


class Backbone(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, 1, 1)
        self.stages = nn.ModuleList([stage(width, width * 2), stage(width * 2, width * 4), stage(width * 4, width * 4)])
        self.out_dim = width * 4

    def freeze(self, upto):
        """Keep the stem and the first stages as they were pretrained."""
        for part in (self.stem, *self.stages[:upto]):
            part.requires_grad_(False)
            part.eval()

    def forward(self, x):
        x = self.stem(x)
        for s in self.stages:
            x = s(x)
        return x.mean(dim=(2, 3))


class FineTuned(nn.Module):
    def __init__(self, classes, upto=0):
        super().__init__()
        self.backbone = Backbone()
        self.fc = nn.Linear(self.backbone.out_dim, classes)
        if upto:
            self.backbone.freeze(upto)

    def forward(self, x):
        return self.fc(self.backbone(x))
