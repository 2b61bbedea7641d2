from dataclasses import dataclass
import torch
from torch import nn


@dataclass(frozen=True)
class PyramidConfig:
    channels: tuple = (4, 8, 16)
    width: int = 8
    classes: int = 3


class Stage(nn.Sequential):
    def __init__(self, i, o):
        super().__init__(nn.Conv2d(i, o, 3, 2, 1), nn.BatchNorm2d(o), nn.ReLU())


class Pyramid(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.stages = nn.ModuleList(Stage(i, o) for i, o in zip((3, *cfg.channels), cfg.channels))
        self.top = nn.Conv2d(cfg.channels[-1], cfg.width, 1)
        self.lateral = nn.ModuleDict({f"p{k}": nn.Conv2d(c, cfg.width, 1) for k, c in enumerate(cfg.channels[:-1])})
        self.head = nn.Conv2d(cfg.width, cfg.classes, 3, padding=1)

    def forward(self, x):
        feats = []
        for stage in self.stages:
            x = stage(x)
            feats.append(x)
        p = self.top(feats[-1])
        outs = [p]
        for k in reversed(range(len(feats) - 1)):
            up = nn.functional.interpolate(p, scale_factor=2.0, mode="nearest")
            p = up + self.lateral[f"p{k}"](feats[k])
            outs.append(p)
        return [self.head(o) for o in outs]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Pyramid(PyramidConfig()).to(device)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for _ in range(2):
    images = torch.randn(2, 3, 32, 32, device=device)
    loss = sum(o.logsumexp(1).mean() for o in net(images))
    opt.zero_grad()
    loss.backward()
    opt.step()
