import torch
import torch.nn as nn
import torch.nn.functional as F


class DeviceMixin:
    @property
    def device(self):
        return next(self.parameters()).device


class TwoTower(DeviceMixin, nn.Module):
    def __init__(self, users, items, dim=16):
        super().__init__()
        self.user = nn.Embedding(users, dim)
        self.item = nn.Embedding(items, dim)

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1)


class RetrievalIndex:
    """Scores in chunks: small ones on the CPU, one large matmul on a GPU."""

    def __init__(self, model):
        self.model = model
        self.chunk = 4096 if model.device.type == "cuda" else 64

    @torch.no_grad()
    def topk(self, users, k=5):
        q = self.model.user(users.to(self.model.device))
        table = self.model.item.weight
        vals, ids = [], []
        for lo in range(0, table.size(0), self.chunk):
            s, i = (q @ table[lo:lo + self.chunk].t()).topk(min(k, table[lo:lo + self.chunk].size(0)))
            vals.append(s)
            ids.append(i + lo)
        s, pos = torch.cat(vals, 1).topk(k)
        return torch.cat(ids, 1).gather(1, pos), s


def bpr_epoch(model, opt, n=10):
    for _ in range(n):
        u = torch.randint(0, 50, (32,), device=model.device)
        pos, neg = torch.randint(0, 200, (2, 32), device=model.device)
        loss = -F.logsigmoid(model(u, pos) - model(u, neg)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


model = TwoTower(50, 200)
if torch.cuda.is_available():
    model = model.to("cuda")
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
print(bpr_epoch(model, opt))
index = RetrievalIndex(model)
ids, scores = index.topk(torch.arange(4))
print(ids.tolist())
