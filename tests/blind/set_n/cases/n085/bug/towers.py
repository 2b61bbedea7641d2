import torch
import torch.nn.functional as F
from torch import nn


def tower(d, dim):
    return nn.Sequential(nn.Linear(d, 2 * dim), nn.ReLU(), nn.Dropout(0.1), nn.Linear(2 * dim, dim))


class TwoTower(nn.Module):
    def __init__(self, user_dim, item_dim, dim=8):
        super().__init__()
        self.user, self.item = tower(user_dim, dim), tower(item_dim, dim)
        self.scale = nn.Parameter(torch.tensor(5.0))

    def encode_user(self, x):
        return F.normalize(self.user(x), dim=-1)

    def encode_item(self, x):
        return F.normalize(self.item(x), dim=-1)

    def forward(self, u, i):
        return self.scale * self.encode_user(u) @ self.encode_item(i).T
