import itertools

import torch
import torch.nn as nn
import torch.nn.functional as F


class TwoTower(nn.Module):
    def __init__(self, users=30, items=40, dim=8):
        super().__init__()
        self.user, self.item = nn.Embedding(users, dim), nn.Embedding(items, dim)
        self.shared = nn.Linear(dim, dim)

    def trainable(self):
        return (p for p in self.parameters() if p.requires_grad)

    def forward(self, u, i):
        return (self.shared(self.user(u)) * self.shared(self.item(i))).sum(-1)


class Calibrator(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.ones(())), nn.Parameter(torch.zeros(()))

    def forward(self, s):
        return self.a * s + self.b


def split_decay(module):
    decay, rest = [], []
    for name, p in module.named_parameters():
        (decay if name.endswith("weight") and p.ndim > 1 else rest).append(p)
    return [{"params": decay, "weight_decay": 1e-2}, {"params": rest, "weight_decay": 0.0}]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tower, cal = TwoTower().to(device), Calibrator().to(device)
print("size", sum(p.numel() for p in tower.trainable()))
opt = torch.optim.Adam(itertools.chain(tower.trainable(), cal.parameters()), lr=1e-2)
for it in range(3):
    u, i = torch.randint(0, 30, (32,), device=device), torch.randint(0, 40, (32,), device=device)
    y = ((u + i) % 2).float()
    loss = F.binary_cross_entropy_with_logits(cal(tower(u, i)), y)
    opt.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(tower.trainable(), 1.0)
    opt.step()
    print(it, loss.item(), norm.item())

# second phase: new optimizer, the item side stays as it is
tower.item.requires_grad_(False)
groups = split_decay(tower.user) + [{"params": tower.shared.parameters()}, {"params": [cal.a, cal.b], "lr": 1e-1}]
opt = torch.optim.AdamW(groups, lr=1e-3)
for it in range(2):
    u, i = torch.randint(0, 30, (32,), device=device), torch.randint(0, 40, (32,), device=device)
    loss = F.binary_cross_entropy_with_logits(cal(tower(u, i)), ((u + i) % 2).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
