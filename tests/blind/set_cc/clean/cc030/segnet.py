from torch import nn
import torch.nn.functional as F


class SegNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.down = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.head = nn.Conv2d(8, classes, 1)

    def forward(self, x):
        y = self.head(F.relu(self.down(x)))
        return y.repeat_interleave(2, dim=2).repeat_interleave(2, dim=3)
