import itertools
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def assign(cost):
    """Smallest assignment of columns to rows, by trying all (few objects)."""
    q, n = cost.shape
    best = min(itertools.permutations(range(q), n), key=lambda p: sum(cost[r, c] for c, r in enumerate(p)))
    return np.array(best), np.arange(n)


class SetCriterion(nn.Module):
    def __init__(self, classes, no_object=0.1):
        super().__init__()
        w = torch.ones(classes + 1)
        w[-1] = no_object
        self.register_buffer("weight", w)
        self.classes = classes

    @torch.no_grad()
    def match(self, logits, boxes, labels, gt):
        cost = torch.cdist(boxes, gt, p=1) - logits.softmax(-1)[:, labels]
        src, tgt = assign(cost.cpu().numpy())
        return torch.from_numpy(src).to(boxes.device), torch.from_numpy(tgt).to(boxes.device)

    def forward(self, out, targets):
        total = 0.0
        for logits, boxes, t in zip(out["logits"], out["boxes"], targets):
            src, tgt = self.match(logits, boxes, t["labels"], t["boxes"])
            cls = torch.full((len(logits),), self.classes, device=logits.device)
            cls = cls.scatter(0, src, t["labels"][tgt])
            total = total + F.cross_entropy(logits, cls, self.weight) + F.l1_loss(boxes[src], t["boxes"][tgt])
        return total


class QueryNet(nn.Module):
    def __init__(self, queries=5, dim=16, classes=3):
        super().__init__()
        self.q = nn.Parameter(torch.randn(queries, dim))
        self.f = nn.Linear(10, dim)
        self.cls, self.box = nn.Linear(dim, classes + 1), nn.Linear(dim, 4)

    def forward(self, x):
        h = torch.tanh(self.q + self.f(x).unsqueeze(1))
        return {"logits": self.cls(h), "boxes": self.box(h).sigmoid()}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net, crit = QueryNet().to(device), SetCriterion(3).to(device)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for _ in range(2):
    targets = [{"labels": torch.randint(0, 3, (2,), device=device), "boxes": torch.rand(2, 4, device=device)} for _ in range(2)]
    loss = crit(net(torch.randn(2, 10, device=device)), targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
