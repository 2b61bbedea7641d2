from itertools import product

import torch
from torch import nn


def make_anchors(sizes, ratios):
    boxes = []
    for s, r in product(sizes, ratios):
        w, h = s * r ** 0.5, s / r ** 0.5
        boxes.append([-w / 2, -h / 2, w / 2, h / 2])
    return torch.tensor(boxes)


class AnchorHead(nn.Module):
    def __init__(self, channels, sizes=(16, 32), ratios=(0.5, 1.0, 2.0), stride=8):
        super().__init__()
        self.stride = stride
        self.register_buffer("base", make_anchors(sizes, ratios), persistent=False)
        k = len(sizes) * len(ratios)
        self.cls = nn.Conv2d(channels, k, 1)
        self.reg = nn.Conv2d(channels, 4 * k, 1)

    def grid(self, h, w, like):
        ys = torch.arange(h, device=like.device, dtype=like.dtype) * self.stride
        xs = torch.arange(w, device=like.device, dtype=like.dtype) * self.stride
        gy, gx = torch.meshgrid(ys, xs, indexing="ij")
        return torch.stack([gx, gy, gx, gy], dim=-1).view(-1, 1, 4)

    def decode(self, deltas, anchors):
        wh = anchors[:, 2:] - anchors[:, :2]
        centre = anchors[:, :2] + 0.5 * wh
        centre = centre + deltas[..., :2] * wh
        wh = wh * deltas[..., 2:].clamp(max=4).exp()
        return torch.cat([centre - 0.5 * wh, centre + 0.5 * wh], dim=-1)

    def forward(self, fmap):
        n, _, h, w = fmap.shape
        scores = self.cls(fmap).permute(0, 2, 3, 1).reshape(n, -1)
        deltas = self.reg(fmap).permute(0, 2, 3, 1).reshape(n, -1, 4)
        anchors = (self.grid(h, w, fmap) + self.base).view(-1, 4)
        return scores.sigmoid(), self.decode(deltas, anchors)
