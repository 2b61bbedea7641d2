import torch
import torch.nn as nn
from torch.utils.data import Dataset


class Claims(Dataset):
    cards = (5, 3)

    def __init__(self, n=60):
        g = torch.Generator().manual_seed(3)
        self.cat = torch.stack([torch.randint(0, c, (n,), generator=g) for c in self.cards], 1)
        self.num = torch.randn(n, 4, generator=g)
        self.y = (self.num[:, 0] + 0.3 * self.cat[:, 0] > 1.2).long()

    def class_counts(self):
        return self.y.bincount(minlength=2).tolist()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.cat[i], self.num[i], self.y[i]


class TabNet(nn.Module):
    def __init__(self, cards, num, dim=6):
        super().__init__()
        self.embs = nn.ModuleList(nn.Embedding(c, dim) for c in cards)
        self.mlp = nn.Sequential(nn.Linear(dim * len(cards) + num, 32), nn.SiLU(), nn.Dropout(0.1), nn.Linear(32, 2))

    def forward(self, cat, num):
        parts = [e(c) for e, c in zip(self.embs, cat.t())] + [num]
        return self.mlp(torch.cat(parts, dim=-1))
