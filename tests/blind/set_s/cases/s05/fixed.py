import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class BoxCoder:
    """Deltas between anchors and boxes, as in two-stage detectors."""

    def __init__(self, weights=(10.0, 10.0, 5.0, 5.0), clip=math.log(1000.0 / 16)):
        self.weights, self.clip = weights, clip

    @staticmethod
    def to_centre(boxes):
        x1, y1, x2, y2 = boxes.unbind(-1)
        return (x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1

    def encode(self, boxes, anchors):
        bx, by, bw, bh = self.to_centre(boxes)
        ax, ay, aw, ah = self.to_centre(anchors)
        wx, wy, ww, wh = self.weights
        return torch.stack([wx * (bx - ax) / aw, wy * (by - ay) / ah,
                            ww * (bw / aw).log(), wh * (bh / ah).log()], dim=-1)

    def decode(self, deltas, anchors):
        ax, ay, aw, ah = self.to_centre(anchors)
        scaled = deltas / deltas.new_tensor(self.weights)
        dx, dy, dw, dh = scaled.unbind(-1)
        dw = dw.clamp(max=self.clip)
        dh = dh.clamp(max=self.clip)
        cx, cy = ax + dx * aw, ay + dy * ah
        w, h = aw * dw.exp(), ah * dh.exp()
        return torch.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], dim=-1)


class RoIHead(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.fc = nn.Linear(dim, 4)
        self.coder = BoxCoder()

    def forward(self, feats, anchors):
        return self.coder.decode(self.fc(feats), anchors)

    def loss(self, feats, anchors, boxes):
        return F.smooth_l1_loss(self(feats, anchors), boxes)
