import torch
from torch import nn


class GraphEncoder(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.l1, self.l2 = nn.Linear(d, h), nn.Linear(h, h)

    def forward(self, x, adj):
        h = torch.relu(adj @ self.l1(x))
        return adj @ self.l2(h)


def ring(n):
    a = torch.eye(n)
    i = torch.arange(n)
    a[i, (i + 1) % n] = a[(i + 1) % n, i] = 1
    return a / a.sum(1, keepdim=True)
