import torch
import torch.nn.functional as F
from torch import nn


class PointNetSeg(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.local = nn.Sequential(nn.Conv1d(3, 16, 1), nn.ReLU(), nn.Conv1d(16, 32, 1), nn.ReLU())
        self.head = nn.Sequential(nn.Conv1d(64, 32, 1), nn.ReLU(), nn.Conv1d(32, classes, 1))

    def forward(self, pts):
        local = self.local(pts.transpose(1, 2))
        pooled = local.amax(dim=2, keepdim=True).expand_as(local)
        return self.head(torch.cat([local, pooled], dim=1))


def lovasz_grad(gt_sorted):
    gts = gt_sorted.sum()
    intersection = gts - gt_sorted.cumsum(0)
    union = gts + (1 - gt_sorted).cumsum(0)
    jaccard = 1.0 - intersection / union
    jaccard[1:] = jaccard[1:] - jaccard[:-1].clone()
    return jaccard


def lovasz_softmax(probs, labels):
    losses = []
    for c in labels.unique().tolist():
        fg = (labels == c).float()
        errors = (fg - probs[:, c]).abs()
        errors_sorted, perm = torch.sort(errors, 0, descending=True)
        losses.append(torch.dot(errors_sorted, lovasz_grad(fg[perm])))
    if not losses:
        return probs.sum() * 0.0
    return torch.stack(losses).mean()


def class_weights(labels, n):
    counts = torch.tensor([(labels == c).sum().item() for c in range(n)], dtype=torch.float, device=labels.device)
    return 1.0 / torch.log(1.2 + counts / counts.sum())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = PointNetSeg().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(4):
    pts = torch.rand(3, 50, 3, device=device)
    labels = (pts[..., 0] * 4).long()
    logits = net(pts)
    flat, target = logits.transpose(1, 2).reshape(-1, 4), labels.reshape(-1)
    loss = F.cross_entropy(flat, target, weight=class_weights(target, 4))
    loss = loss + lovasz_softmax(flat.softmax(1), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
