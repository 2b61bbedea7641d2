import argparse
import torch
import torch.nn.functional as F
from torch import nn
from anchors import AnchorGenerator


class TinyRetina(nn.Module):
    def __init__(self, num_classes=3):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=4, padding=1), nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU())
        self.anchors = AnchorGenerator()
        a = self.anchors.per_location
        self.num_classes = num_classes
        self.cls = nn.Conv2d(16, a * num_classes, 1)
        self.reg = nn.Conv2d(16, a * 4, 1)

    def forward(self, images):
        f = self.backbone(images)
        n = images.size(0)
        logits = self.cls(f).permute(0, 2, 3, 1).reshape(n, -1, self.num_classes)
        deltas = self.reg(f).permute(0, 2, 3, 1).reshape(n, -1, 4)
        return logits, deltas, self.anchors(f)


def decode(anchors, deltas):
    wh = anchors[:, 2:] - anchors[:, :2]
    ctr = anchors[:, :2] + wh / 2
    return torch.cat([ctr + deltas[..., :2] * wh, wh * deltas[..., 2:].clamp(max=4).exp()], -1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=10)
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()
    model = TinyRetina().to(args.device)
    opt = torch.optim.SGD(model.parameters(), lr=1e-3)
    for _ in range(args.steps):
        images = torch.randn(2, 3, 32, 32, device=args.device)
        logits, deltas, anchors = model(images)
        boxes = decode(anchors, deltas)
        target = torch.zeros_like(boxes)
        loss = F.smooth_l1_loss(boxes, target) + logits.sigmoid().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
