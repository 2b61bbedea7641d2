import itertools

import torch
from torch import nn


class TwoTower(nn.Module):
    def __init__(self, users=50, items=40, dim=8):
        super().__init__()
        self.user = nn.Embedding(users, dim)
        self.item = nn.Embedding(items, dim)
        self.mix = nn.Sequential(nn.Linear(dim, dim), nn.LayerNorm(dim), nn.GELU())

    def forward(self, u, i):
        return (self.mix(self.user(u)) * self.item(i)).sum(-1)


def param_groups(model, weight_decay):
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        if not p.requires_grad:
            continue
        (no_decay if p.ndim < 2 or "item" in name or "user" in name else decay).append(p)
    return [{"params": decay, "weight_decay": weight_decay}, {"params": no_decay, "weight_decay": 0.0}]


def bpr(pos, neg):
    return -nn.functional.logsigmoid(pos - neg).mean()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = TwoTower().to(device)
popularity = nn.Embedding(40, 1).to(device)
nn.init.zeros_(popularity.weight)
groups = param_groups(model, 1e-2)
groups.append({"params": popularity.parameters(), "lr": 5e-4, "weight_decay": 0.0})
optimizer = torch.optim.AdamW(groups, lr=2e-3)

for step in range(6):
    u = torch.randint(50, (64,), device=device)
    i = torch.randint(40, (64,), device=device)
    j = torch.randint(40, (64,), device=device)
    pos = model(u, i) + popularity(i).squeeze(-1)
    neg = model(u, j) + popularity(j).squeeze(-1)
    loss = bpr(pos, neg)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(itertools.chain(model.parameters(), popularity.parameters()), 5.0)
    optimizer.step()
print(f"{loss.item():.4f}", [len(g["params"]) for g in optimizer.param_groups])
