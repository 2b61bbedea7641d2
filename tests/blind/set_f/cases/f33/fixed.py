"""Feature pyramid over a list of maps of any widths."""
import torch
from torch import nn
import torch.nn.functional as F


def conv_bn(c_in, c_out, k=3):
    return nn.Sequential(nn.Conv2d(c_in, c_out, k, padding=k // 2, bias=False), nn.GroupNorm(2, c_out), nn.ReLU())


class Pyramid(nn.Module):
    def __init__(self, c_ins, width=8):
        super().__init__()
        self.width = width
        self.smooth = conv_bn(width, width)
        self.laterals = nn.ModuleList(nn.Conv2d(c, width, 1) for c in c_ins)

    def forward(self, maps):
        laterals = []
        for lateral, m in zip(self.laterals, maps):
            laterals.append(lateral(m))
        outs = [self.smooth(laterals[-1])]
        for m in reversed(laterals[:-1]):
            up = F.interpolate(outs[0], size=m.shape[-2:], mode="nearest")
            outs.insert(0, self.smooth(m + up))
        return outs


class Heads(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.score = nn.Conv2d(width, classes, 1)

    def forward(self, pyramid):
        return [self.score(p) for p in pyramid]


class Detector(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.c2 = conv_bn(3, 6)
        self.c3 = conv_bn(6, 10)
        self.neck = Pyramid([6, 10], 8)
        self.heads = Heads(8, classes)

    def forward(self, x):
        a = self.c2(x)
        b = self.c3(F.max_pool2d(a, 2))
        return self.heads(self.neck([a, b]))
