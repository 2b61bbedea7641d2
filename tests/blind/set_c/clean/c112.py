import torch
from torch import nn


class AnchorHead(nn.Module):
    """Keeps its anchors as plain tensors and moves them with the weights."""

    def __init__(self, channels, sizes=(8, 16), ratios=(0.5, 1.0, 2.0)):
        super().__init__()
        self.cls = nn.Conv2d(channels, len(sizes) * len(ratios), 1)
        self.box = nn.Conv2d(channels, 4 * len(sizes) * len(ratios), 1)
        anchors = [(s * r**0.5, s / r**0.5) for s in sizes for r in ratios]
        self.anchors = torch.tensor(anchors)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.anchors = fn(self.anchors)
        return self

    def forward(self, feat):
        b, _, h, w = feat.shape
        scores = self.cls(feat).sigmoid()
        deltas = self.box(feat).view(b, -1, 4, h, w)
        wh = self.anchors[None, :, :, None, None] * deltas[:, :, 2:].exp()
        return scores, torch.cat([deltas[:, :, :2], wh], dim=2)


class GridHead(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, 3, 1)
        self.grid = torch.zeros(1)

    def _make_grid(self, h, w, device):
        ys, xs = torch.meshgrid(torch.arange(h, device=device), torch.arange(w, device=device), indexing="ij")
        return torch.stack((xs, ys)).float()

    def forward(self, feat):
        out = self.conv(feat)
        if self.grid.shape[-2:] != out.shape[-2:] or self.grid.device != out.device:
            self.grid = self._make_grid(*out.shape[-2:], out.device)
        xy = out[:, :2].sigmoid() + self.grid
        return torch.cat([xy, out[:, 2:]], dim=1)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    anchor, grid = AnchorHead(4).to(device), GridHead(4).to(device)
    feat = torch.rand(2, 4, 3, 5, device=device)
    scores, boxes = anchor(feat)
    print(scores.shape, boxes.shape, grid(feat).shape)
