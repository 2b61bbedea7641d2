from dataclasses import dataclass

import torch
from torch import nn

from points import decode, locations


@dataclass
class Config:
    width: int = 16
    strides: tuple = (4, 8)
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class Detector(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.strides = cfg.strides
        self.stem = nn.Sequential(nn.Conv2d(3, cfg.width, 4, stride=4), nn.ReLU())
        self.down = nn.Sequential(nn.Conv2d(cfg.width, cfg.width, 2, stride=2), nn.ReLU())
        self.box = nn.Conv2d(cfg.width, 4, 1)

    def forward(self, images):
        c2 = self.stem(images)
        c3 = self.down(c2)
        levels = [c2, c3]
        preds = [self.box(f).flatten(2).transpose(1, 2).exp() for f in levels]
        boxes = [decode(p, r) for p, r in zip(locations(levels, self.strides), preds)]
        return torch.cat(boxes, dim=1)


def main():
    cfg = Config()
    torch.manual_seed(1)
    net = Detector(cfg).to(cfg.device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for it in range(4):
        images = torch.randn(2, 3, 32, 32).to(cfg.device)
        target = torch.rand(2, 1, 4).to(cfg.device) * 32
        boxes = net(images)
        loss = (boxes - target).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, round(loss.item(), 3))


if __name__ == "__main__":
    main()
