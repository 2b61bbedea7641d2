import torch
from torch import nn

from anchors import AnchorGenerator


class TinyDetector(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.c1 = nn.Sequential(nn.Conv2d(3, width, 3, stride=4, padding=1), nn.ReLU())
        self.c2 = nn.Sequential(nn.Conv2d(width, width, 3, stride=2, padding=1), nn.ReLU())
        self.anchors = AnchorGenerator((4, 8), (4.0,), (0.5, 1.0, 2.0))
        self.box = nn.Conv2d(width, self.anchors.per_location * 4, 1)

    def decode(self, deltas, anchors):
        wh = anchors[:, 2:] - anchors[:, :2]
        ctr = (anchors[:, 2:] + anchors[:, :2]) / 2
        new_ctr = ctr + deltas[..., :2] * wh
        new_wh = wh * deltas[..., 2:].clamp(max=4.0).exp()
        return torch.cat([new_ctr - new_wh / 2, new_ctr + new_wh / 2], dim=-1)

    def forward(self, images):
        p1 = self.c1(images)
        p2 = self.c2(p1)
        feats = [p1, p2]
        deltas = [self.box(f).permute(0, 2, 3, 1).reshape(images.size(0), -1, 4) for f in feats]
        return self.decode(torch.cat(deltas, dim=1), self.anchors(feats))
