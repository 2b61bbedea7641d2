import itertools

import torch
from torch import nn


def make_grid(size, scales, ratios):
    centres = (torch.arange(size, dtype=torch.float32) + 0.5) / size
    cy, cx = torch.meshgrid(centres, centres, indexing="ij")
    boxes = []
    for s, r in itertools.product(scales, ratios):
        w = torch.full_like(cx, s * r ** 0.5)
        h = torch.full_like(cx, s / r ** 0.5)
        boxes.append(torch.stack([cx, cy, w, h], dim=-1))
    return torch.stack(boxes, dim=2).view(-1, 4)


class PriorHead(nn.Module):
    """Shared bookkeeping of all heads that predict offsets to priors."""

    def __init__(self, size, scales=(0.2, 0.4), ratios=(0.5, 1.0, 2.0)):
        super().__init__()
        self.per_cell = len(scales) * len(ratios)
        self.register_buffer("priors", make_grid(size, scales, ratios), persistent=False)
        self.variance = (0.1, 0.2)

    def decode(self, offsets):
        xy = self.priors[:, :2] + offsets[..., :2] * self.variance[0] * self.priors[:, 2:]
        wh = self.priors[:, 2:] * torch.exp(offsets[..., 2:] * self.variance[1])
        return torch.cat([xy - wh / 2, xy + wh / 2], dim=-1)


class ConvPriorHead(PriorHead):
    def __init__(self, channels, classes, size):
        super().__init__(size)
        self.loc = nn.Conv2d(channels, self.per_cell * 4, 3, padding=1)
        self.conf = nn.Conv2d(channels, self.per_cell * classes, 3, padding=1)
        self.classes = classes

    def forward(self, feats):
        b = feats.size(0)
        offsets = self.loc(feats).permute(0, 2, 3, 1).reshape(b, -1, 4)
        logits = self.conf(feats).permute(0, 2, 3, 1).reshape(b, -1, self.classes)
        return self.decode(offsets), logits


class SSDLite(nn.Module):
    def __init__(self, classes=4, width=8):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU6(),
            nn.Conv2d(width, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU6(),
        )
        self.head = ConvPriorHead(width, classes, size=8)

    def forward(self, x):
        return self.head(self.body(x))


def fit(model, device, steps=3):
    model.train()
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for _ in range(steps):
        images = torch.rand(2, 3, 32, 32, device=device)
        boxes, logits = model(images)
        goal = torch.rand_like(boxes)
        labels = torch.randint(0, 4, logits.shape[:2], device=device)
        loss = nn.functional.l1_loss(boxes, goal)
        loss = loss + nn.functional.cross_entropy(logits.transpose(1, 2), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(round(loss.item(), 4))


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = SSDLite()
    net.to(dev)
    fit(net, dev)
