import torch
import torch.nn.functional as F
from torch import nn


class SiameseDetector(nn.Module):
    """Predicts one box (cx, cy, w, h) for each crop."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.ReLU(), nn.Flatten())
        self.box = nn.Linear(8 * 16, 4)

    def forward(self, x):
        return self.box(self.features(x)).sigmoid()


def to_corners(b):
    cx, cy, w, h = b.unbind(-1)
    return torch.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], dim=-1)


def giou(a, b):
    a, b = to_corners(a), to_corners(b)
    lt, rb = torch.maximum(a[:2], b[:2]), torch.minimum(a[2:], b[2:])
    inter = (rb - lt).clamp(min=0).prod()
    area = (a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - inter
    hull = (torch.maximum(a[2:], b[2:]) - torch.minimum(a[:2], b[:2])).prod()
    return inter / (area + 1e-7) - (hull - area) / (hull + 1e-7)


def box_loss(pred, target):
    losses = []
    for p, t in zip(pred, target):
        losses.append(1 - giou(p, t) + F.l1_loss(p, t))
    return torch.stack(losses).mean()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = SiameseDetector().to(device)
    start = net.box.weight.detach().clone()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.0)
    for step in range(4):
        crops = torch.rand(6, 1, 16, 16, device=device)
        boxes = torch.rand(6, 4, device=device) * 0.5 + 0.25
        loss = box_loss(net(crops), boxes)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
    return (net.box.weight.detach() - start).abs().max().item()


if __name__ == "__main__":
    moved = main()
