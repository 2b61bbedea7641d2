import torch
import torch.nn as nn
import torch.nn.functional as F


class Down(nn.Sequential):
    def __init__(self, a, b):
        super().__init__(nn.Conv2d(a, b, 3, stride=2, padding=1), nn.BatchNorm2d(b), nn.ReLU())


class Segmenter(nn.Module):
    def __init__(self, n_class=3, width=8):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.down = Down(width, 2 * width)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.head = nn.Conv2d(2 * width, n_class, 1)

    def forward(self, x):
        a = F.relu(self.stem(x))
        b = F.relu(self.up(self.down(a)))
        return self.head(torch.cat([a, b], dim=1))
