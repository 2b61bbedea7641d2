import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_bn(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride, 1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


def merge(skip, x):
    """Bring a skip connection to the resolution and width of x, then add."""
    x = F.interpolate(x, size=skip.shape[-2:], mode="bilinear", align_corners=False)
    if skip.size(1) != x.size(1):
        skip = nn.Conv2d(skip.size(1), x.size(1), kernel_size=1)(skip)
    return skip + x
