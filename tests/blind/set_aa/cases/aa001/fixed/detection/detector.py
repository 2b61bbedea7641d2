import torch.nn as nn

from .anchors import AnchorGrid


class TinyDetector(nn.Module):
    def __init__(self, num_classes=3, width=16):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=4, padding=1), nn.ReLU(),
            nn.Conv2d(width, width, 3, stride=2, padding=1), nn.ReLU(),
        )
        self.cls_head = nn.Conv2d(width, num_classes, 1)
        self.reg_head = nn.Conv2d(width, 4, 1)
        self.anchors = AnchorGrid()

    def forward(self, images):
        feat = self.body(images)
        return {
            "logits": self.cls_head(feat).flatten(2).transpose(1, 2),
            "deltas": self.reg_head(feat).flatten(2).transpose(1, 2),
            "anchors": self.anchors(feat),
        }
