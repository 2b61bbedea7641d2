"""Anchor generation for a single-stage detector."""
import itertools
from typing import List, Sequence, Tuple

import torch


class AnchorGenerator:
    """Builds one set of (x1, y1, x2, y2) anchors per feature level."""

    def __init__(self, strides: Sequence[int], scales: Sequence[float], ratios: Sequence[float]):
        self.strides = tuple(strides)
        self.base = [self._base(s, scales, ratios) for s in self.strides]

    @staticmethod
    def _base(stride: int, scales, ratios) -> List[Tuple[float, float]]:
        sizes = []
        for scale, ratio in itertools.product(scales, ratios):
            w = stride * scale * ratio ** 0.5
            h = stride * scale / ratio ** 0.5
            sizes.append((w, h))
        return sizes

    @property
    def per_location(self) -> int:
        return len(self.base[0])

    def level(self, index: int, feature: torch.Tensor) -> torch.Tensor:
        h, w = feature.shape[-2:]
        stride = self.strides[index]
        ys = (torch.arange(h, device=feature.device) + 0.5) * stride
        xs = (torch.arange(w, device=feature.device) + 0.5) * stride
        wh = torch.tensor(self.base[index], device=feature.device)
        cy, cx = torch.meshgrid(ys, xs, indexing="ij")
        centers = torch.stack([cx, cy], dim=-1).reshape(-1, 1, 2)
        half = wh.unsqueeze(0) / 2
        return torch.cat([centers - half, centers + half], dim=-1).reshape(-1, 4)

    def __call__(self, features):
        return torch.cat([self.level(i, f) for i, f in enumerate(features)])
