import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_bn(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride, 1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class Merge(nn.Module):
    """Bring a skip connection to the resolution and width of x, then add."""

    def __init__(self, cskip, cx):
        super().__init__()
        self.lateral = nn.Conv2d(cskip, cx, kernel_size=1)

    def forward(self, skip, x):
        x = F.interpolate(x, size=skip.shape[-2:], mode="bilinear", align_corners=False)
        return self.lateral(skip) + x
