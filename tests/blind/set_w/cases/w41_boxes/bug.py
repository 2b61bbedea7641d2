import math
import torch
from torch import nn
import torch.nn.functional as F

MAX_RATIO = math.log(1000 / 16)


def decode(anchors, deltas):
    aw, ah = (anchors[:, 2:] - anchors[:, :2]).unbind(1)
    ax, ay = (0.5 * (anchors[:, 2:] + anchors[:, :2])).unbind(1)
    dx, dy, dw, dh = deltas.unbind(-1)
    dw.clamp_(max=MAX_RATIO)
    dh.clamp_(max=MAX_RATIO)
    cx, cy = ax + dx * aw, ay + dy * ah
    w, h = aw * dw.exp(), ah * dh.exp()
    return torch.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], dim=-1)


def giou(a, b):
    lt, rb = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area = lambda t: (t[..., 2:] - t[..., :2]).prod(-1)
    union = area(a) + area(b) - inter
    hull = (torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])).prod(-1)
    return inter / union - (hull - union) / hull


class Detector(nn.Module):
    def __init__(self, feat=8, size=4):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, feat, 3, 4, 1), nn.ReLU())
        self.reg = nn.Conv2d(feat, 4, 1)
        g = torch.arange(size).float() * 4
        yy, xx = torch.meshgrid(g, g, indexing="ij")
        c = torch.stack([xx, yy], -1).view(-1, 2)
        self.register_buffer("anchors", torch.cat([c, c + 8], 1))

    def forward(self, img):
        d = self.reg(self.backbone(img)).flatten(2).transpose(1, 2)
        return decode(self.anchors, d)


def main():
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    net = Detector().to(dev)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for _ in range(2):
        boxes = net(torch.rand(2, 3, 16, 16, device=dev))
        target = torch.rand(2, 16, 2, device=dev) * 8
        target = torch.cat([target, target + 6], -1)
        loss = (1 - giou(boxes, target)).mean() + 0.01 * F.smooth_l1_loss(boxes, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())


main()
