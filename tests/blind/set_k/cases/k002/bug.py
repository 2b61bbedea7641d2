import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PointHead(nn.Module):
    def __init__(self, channels, anchors):
        super().__init__()
        self.score = nn.Conv2d(channels, anchors, 1)
        self.delta = nn.Conv2d(channels, anchors * 2, 1)

    def forward(self, feats):
        return self.score(feats), self.delta(feats)


def box_sampler(sizes, n_per_image, dev):
    """Returns a function drawing ground-truth boxes of the listed sizes."""

    def draw(batch):
        rows = []
        for _ in range(batch):
            pick = torch.randint(len(sizes), (n_per_image,)).tolist()
            rows.append([list(sizes[i]) for i in pick])
        return torch.Tensor(rows, device=dev)

    return draw


def loss_fn(outputs, boxes):
    score, delta = outputs
    b, _, h, w = score.shape
    target = boxes.mean(1).view(b, 2, 1, 1)
    reg = delta.view(b, -1, 2, h, w).mean(1)
    return F.smooth_l1_loss(reg, target.expand_as(reg)) + F.softplus(-score).mean()


backbone = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2, padding=1))
head = PointHead(16, 3)
net = nn.ModuleDict({"backbone": backbone, "head": head}).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
draw = box_sampler([(8.0, 8.0), (16.0, 12.0), (24.0, 30.0)], 4, device)

for step in range(6):
    images = torch.randn(4, 3, 32, 32, device=device)
    boxes = draw(images.shape[0])
    optimizer.zero_grad()
    loss = loss_fn(net["head"](net["backbone"](images)), boxes / 32)
    loss.backward()
    optimizer.step()
    if step % 3 == 0:
        print(step, f"{loss.item():.4f}")
