"""Feature pyramid over a three-stage backbone."""
from collections import OrderedDict
from typing import Dict

import torch
from torch import nn
import torch.nn.functional as F


def conv_bn(cin, cout, stride=1):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class Backbone(nn.Module):
    channels = OrderedDict(c2=8, c3=16, c4=32)

    def __init__(self):
        super().__init__()
        self.stem = conv_bn(3, 4, 2)
        cin = 4
        for name, cout in self.channels.items():
            self.add_module(name, conv_bn(cin, cout, 2))
            cin = cout

    def forward(self, x) -> Dict[str, torch.Tensor]:
        x = self.stem(x)
        out = OrderedDict()
        for name in self.channels:
            x = getattr(self, name)(x)
            out[name] = x
        return out


class FPN(nn.Module):
    def __init__(self, channels: Dict[str, int], dim: int = 16):
        super().__init__()
        self.lateral = nn.ModuleDict({n: nn.Conv2d(c, dim, 1) for n, c in channels.items()})
        self.smooth = nn.ModuleDict({n: nn.Conv2d(dim, dim, 3, padding=1) for n in channels})

    def forward(self, feats):
        merged, top = OrderedDict(), None
        for name in reversed(list(feats)):
            y = self.lateral[name](feats[name])
            if top is not None:
                y = y + F.interpolate(top, size=y.shape[-2:], mode="nearest")
            top = y
            merged[name] = self.smooth[name](y)
        return merged


class Segmenter(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.backbone = Backbone()
        self.neck = FPN(Backbone.channels)
        self.head = nn.Conv2d(16, classes, 1)

    def forward(self, x):
        feats = self.neck(self.backbone(x))
        return F.interpolate(self.head(feats["c2"]), size=x.shape[-2:], mode="bilinear", align_corners=False)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Segmenter().to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    for step in range(2):
        image = torch.randn(2, 3, 32, 32, device=device)
        mask = torch.randint(0, 3, (2, 32, 32), device=device)
        loss = F.cross_entropy(net(image), mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
