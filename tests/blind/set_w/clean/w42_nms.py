import torch
from torch import nn


def to_corners(boxes, size):
    out = boxes.detach().clone()
    x, y, w, h = out.unbind(-1)
    x -= w / 2
    y -= h / 2
    w += x
    h += y
    return out.clamp_(0, size)


def iou(a, b):
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp_(min=0).prod(-1)
    area_a, area_b = ((t[:, 2:] - t[:, :2]).prod(-1) for t in (a, b))
    return inter / (area_a[:, None] + area_b - inter + 1e-9)


def nms(boxes, scores, thr=0.5):
    order = scores.argsort(descending=True)
    overlap = iou(boxes[order], boxes[order]) > thr
    dead = torch.zeros(len(order), dtype=torch.bool)
    for i, row in enumerate(overlap.cpu()):
        if not dead[i]:
            row[: i + 1] = False
            dead |= row
    return order[~dead]


class Head(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, c, 3, 2, 1), nn.SiLU(inplace=True), nn.Conv2d(c, c, 3, 2, 1), nn.ReLU(inplace=True))
        self.out = nn.Conv2d(c, 5, 1)

    def forward(self, x):
        z = self.out(self.stem(x)).flatten(2).mT
        return z[..., :4].sigmoid() * 16, z[..., 4]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
head = Head().to(device)
opt = torch.optim.SGD(head.parameters(), lr=0.01)
for step in range(3):
    img = torch.rand(2, 3, 16, 16, device=device)
    boxes, obj = head(img)
    corners = to_corners(boxes, 16)
    with torch.no_grad():
        truth = torch.tensor([[2.0, 2, 9, 9]], device=device)
        quality = torch.stack([iou(c, truth).squeeze(1) for c in corners])
    loss = nn.functional.binary_cross_entropy_with_logits(obj, quality)
    loss = loss + (quality * (boxes - boxes.new_tensor([5.5, 5.5, 7, 7])).abs().sum(-1)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
kept = [nms(c, s)[:3] for c, s in zip(corners, obj.detach())]
print([k.tolist() for k in kept])
