import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SparseAttention(nn.Module):
    def __init__(self, dim, heads=2, keep=3):
        super().__init__()
        self.heads, self.keep = heads, keep
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)

    def split(self, t):
        b, n, d = t.shape
        return t.view(b, n, self.heads, d // self.heads).transpose(1, 2)

    def prune(self, weights):
        floor = weights.topk(self.keep, dim=-1).values[..., -1:]
        weights.data.mul_((weights >= floor).float())
        return weights

    def forward(self, x):
        q, k, v = (self.split(f(x)) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        weights = self.prune(F.softmax(scores, dim=-1))
        out = weights @ v
        return out.transpose(1, 2).reshape_as(x)


def run(steps=4):
    torch.manual_seed(1)
    layer = SparseAttention(8)
    opt = torch.optim.Adam(layer.parameters(), lr=1e-2)
    x, target = torch.randn(3, 6, 8), torch.randn(3, 6, 8)
    for _ in range(steps):
        loss = F.mse_loss(layer(x), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return layer, loss.item()


if __name__ == "__main__":
    model, final = run()
    print(final)
