import torch.nn as nn


class ConvNet(nn.Module):
    def __init__(self, classes=10, width=8):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        )
        self.fc = nn.Linear(2 * width, classes)

    def forward(self, x):
        return self.fc(self.features(x))


_ZOO = {"small": lambda: ConvNet(), "wide": lambda: ConvNet(width=16)}


def create(name):
    return _ZOO[name]()
