import torch
import torch.nn as nn


class MobileLite(nn.Module):
    def __init__(self, classes=10, width=8):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1), nn.ReLU6(),
            nn.Conv2d(width, width, 3, padding=1, groups=width), nn.Conv2d(width, width, 1), nn.ReLU6())
        self.classifier = nn.Linear(width, classes)

    def forward(self, x):
        return self.classifier(self.conv(x).mean(dim=(2, 3)))

    def reset_classifier(self, classes):
        old = self.classifier.weight
        self.classifier = nn.Linear(self.classifier.in_features, classes).to(old.device)
