import torch
import torch.nn as nn

from .base import BaseDetector


class AnchorDetector(BaseDetector):
    def __init__(self, size=16, strides=(4,), scale=8.0, width=8, **kwargs):
        super().__init__(strides)
        self.size = size
        self.backbone = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, stride=2, padding=1),
            nn.ReLU(),
        )
        self.reg_head = nn.Conv2d(width, 4, 1)
        self.cls_head = nn.Conv2d(width, 1, 1)
        self._build_anchors(scale)

    def _build_anchors(self, scale):
        centers = []
        for stride in self.strides:
            n = self.size // stride
            xs = (torch.arange(n).float() + 0.5) * stride
            gy, gx = torch.meshgrid(xs, xs, indexing="ij")
            centers.append(torch.stack([gx, gy], dim=-1).reshape(-1, 2))
        pts = torch.cat(centers)
        boxes = torch.cat([pts - scale / 2, pts + scale / 2], dim=1)
        self.register_buffer("anchors", boxes, persistent=False)

    def predict_boxes(self, feats):
        deltas = self.reg_head(feats).flatten(2).transpose(1, 2)
        return self.anchors + deltas

    def forward(self, images):
        feats = self.backbone(images)
        return {"boxes": self.predict_boxes(feats), "scores": self.cls_head(feats).flatten(1)}
