import itertools
import torch


class AnchorGrid:
    """Pre-computes cx, cy, w, h for every cell of every level."""

    def __init__(self, strides=(8, 16), scales=(1.0, 1.5)):
        self.strides = strides
        self.scales = scales

    def level(self, stride, size):
        cells = range(size // stride)
        out = []
        for j, i, s in itertools.product(cells, cells, self.scales):
            out.append([(i + 0.5) * stride, (j + 0.5) * stride, stride * s, stride * s])
        return out

    def build(self, size, device):
        rows = []
        for s in self.strides:
            rows.extend(self.level(s, size))
        return torch.tensor(rows, device=device)


def decode(deltas, anchors):
    cxy = anchors[:, :2] + deltas[..., :2] * anchors[:, 2:]
    wh = anchors[:, 2:] * deltas[..., 2:].exp()
    return torch.cat([cxy - wh / 2, cxy + wh / 2], dim=-1)
