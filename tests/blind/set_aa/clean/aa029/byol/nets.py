import torch.nn as nn


class ResUnit(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(ch, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch)
        self.conv2, self.bn2 = nn.Conv2d(ch, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += x
        return self.relu(out)


def make_encoder(ch=8, dim=16):
    return nn.Sequential(
        nn.Conv2d(1, ch, 3, stride=2, padding=1), ResUnit(ch), ResUnit(ch),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(ch, dim),
    )


def make_predictor(dim=16):
    return nn.Sequential(nn.Linear(dim, 32), nn.BatchNorm1d(32), nn.ReLU(inplace=True), nn.Linear(32, dim))
