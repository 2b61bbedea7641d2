import torch
from torch import nn
import torch.nn.functional as F


class PointGrid:
    """Cell centres, computed once for every (height, width, stride, device, dtype)."""

    def __init__(self):
        self._cache = {}

    def __call__(self, feature, stride):
        h, w = feature.shape[-2:]
        key = (h, w, stride, feature.device, feature.dtype)
        if key not in self._cache:
            ys = (torch.arange(h, device=feature.device, dtype=feature.dtype) + 0.5) * stride
            xs = (torch.arange(w, device=feature.device, dtype=feature.dtype) + 0.5) * stride
            gy, gx = torch.meshgrid(ys, xs, indexing="ij")
            self._cache[key] = torch.stack([gx, gy], -1).view(-1, 2)
        return self._cache[key]


class FCOSHead(nn.Module):
    def __init__(self, width, classes, strides):
        super().__init__()
        self.strides = strides
        self.tower = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.GroupNorm(2, width), nn.ReLU())
        self.cls = nn.Conv2d(width, classes, 3, padding=1)
        self.reg = nn.Conv2d(width, 4, 3, padding=1)
        self.scales = nn.ParameterList(nn.Parameter(torch.tensor(1.0)) for _ in strides)
        self.grid = PointGrid()

    def forward(self, levels):
        logits, distances, points = [], [], []
        for feature, stride, scale in zip(levels, self.strides, self.scales):
            t = self.tower(feature)
            logits.append(self.cls(t).flatten(2).transpose(1, 2))
            distances.append(F.relu(scale * self.reg(t)).flatten(2).transpose(1, 2) * stride)
            points.append(self.grid(feature, stride))
        return torch.cat(logits, 1), torch.cat(distances, 1), torch.cat(points)


class Detector(nn.Module):
    def __init__(self, classes=3, width=8):
        super().__init__()
        self.c1 = nn.Conv2d(3, width, 3, 4, 1)
        self.c2 = nn.Conv2d(width, width, 3, 2, 1)
        self.head = FCOSHead(width, classes, (4, 8))

    def forward(self, x):
        a = F.relu(self.c1(x))
        return self.head([a, F.relu(self.c2(a))])


def assign(points, boxes, labels, background):
    lt = points[:, None] - boxes[None, :, :2]
    rb = boxes[None, :, 2:] - points[:, None]
    dist = torch.cat([lt, rb], -1)
    inside = dist.amin(-1) > 0
    area = ((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])).expand_as(inside).clone()
    area[~inside] = float("inf")
    best, which = area.min(1)
    target = labels[which]
    target[best.isinf()] = background
    return target, dist[torch.arange(len(points)), which]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Detector().to(device)
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    for _ in range(3):
        images = torch.rand(1, 3, 32, 32, device=device)
        corner = torch.rand(3, 2) * 12
        boxes = torch.cat([corner, corner + 14], 1).to(device)
        labels = torch.randint(0, 3, (3,), device=device)
        logits, dist, points = model(images)
        target, goal = assign(points, boxes, labels, background=3)
        positive = target < 3
        onehot = F.one_hot(target, 4)[:, :3].to(logits.dtype)
        loss = F.binary_cross_entropy_with_logits(logits[0], onehot)
        if positive.any():
            loss = loss + F.l1_loss(dist[0][positive], goal[positive]) / 8
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"{loss.item():.3f}")


if __name__ == "__main__":
    main()
