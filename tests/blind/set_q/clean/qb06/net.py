import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x):
        return self.o(F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x)))


class Encoder(nn.Module):
    def __init__(self, dim=16, depth=2, classes=2):
        super().__init__()
        self.layers = nn.ModuleList(Attention(dim) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(self.norm(x))
        return self.head(x.mean(1))
