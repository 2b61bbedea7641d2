import torch
from torch import nn


class Highway(nn.Module):
    def __init__(self, dim, depth=2):
        super().__init__()
        self.transform = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth)])
        self.gate = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth)])
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        for t, g in zip(self.transform, self.gate):
            k = torch.sigmoid(g(x))
            x = k * torch.relu(t(x)) + (1 - k) * x
        return self.out(x)
