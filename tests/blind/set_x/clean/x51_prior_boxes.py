"""SSD-like head whose prior boxes are cached per feature size and device."""
import math
from typing import Dict, Tuple

import torch
from torch import nn
import torch.nn.functional as F


class PriorBoxes:
    def __init__(self, ratios=(0.5, 1.0, 2.0), scale=0.2):
        self.ratios = ratios
        self.scale = scale
        self._cache: Dict[Tuple[int, int, torch.device], torch.Tensor] = {}

    def _build(self, h: int, w: int) -> torch.Tensor:
        ys, xs = torch.meshgrid((torch.arange(h) + 0.5) / h, (torch.arange(w) + 0.5) / w, indexing="ij")
        centers = torch.stack([xs, ys], dim=-1).view(-1, 1, 2)
        wh = torch.tensor([[self.scale * math.sqrt(r), self.scale / math.sqrt(r)] for r in self.ratios])
        return torch.cat([centers.expand(-1, len(wh), -1), wh.expand(h * w, -1, -1)], dim=-1).view(-1, 4)

    def __call__(self, feature: torch.Tensor) -> torch.Tensor:
        h, w = feature.shape[-2:]
        key = (h, w, feature.device)
        if key not in self._cache:
            self._cache[key] = self._build(h, w).to(feature.device)
        return self._cache[key]


class SSDHead(nn.Module):
    def __init__(self, channels=8, classes=3):
        super().__init__()
        self.priors = PriorBoxes()
        k = len(self.priors.ratios)
        self.loc = nn.Conv2d(channels, k * 4, 3, padding=1)
        self.cls = nn.Conv2d(channels, k * classes, 3, padding=1)
        self.classes = classes

    def forward(self, feature):
        n = feature.size(0)
        loc = self.loc(feature).permute(0, 2, 3, 1).reshape(n, -1, 4)
        cls = self.cls(feature).permute(0, 2, 3, 1).reshape(n, -1, self.classes)
        prior = self.priors(feature)
        centers = prior[:, :2] + loc[..., :2] * prior[:, 2:] * 0.1
        sizes = prior[:, 2:] * (loc[..., 2:] * 0.2).exp()
        return torch.cat([centers, sizes], dim=-1), cls


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.ModuleDict({"stem": nn.Conv2d(3, 8, 3, 4, 1), "head": SSDHead()})
    with torch.no_grad():
        boxes, _ = net["head"](net["stem"](torch.zeros(1, 3, 32, 32)))
    print("priors per image:", boxes.size(1))
    net.to(device)
    opt = torch.optim.SGD(net.parameters(), lr=1e-3)
    for size in (32, 48, 32):
        images = torch.randn(2, 3, size, size, device=device)
        boxes, scores = net["head"](net["stem"](images))
        loss = boxes.sub(0.5).abs().mean() + F.cross_entropy(scores.flatten(0, 1), torch.zeros(scores.shape[:2], dtype=torch.long, device=device).flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
