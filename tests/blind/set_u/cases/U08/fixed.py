import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def renorm(weights, keep, eps=1e-6):
    """Drop the positions that are not kept and let the rest sum to one again."""
    weights = weights * keep
    return weights / (weights.sum(dim=-1, keepdim=True) + eps)


class SparseAttention(nn.Module):
    def __init__(self, dim, heads=4, topk=4):
        super().__init__()
        self.heads, self.topk = heads, topk
        self.qkv = nn.Linear(dim, dim * 3)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(d // self.heads)
        weights = scores.softmax(dim=-1)
        kth = weights.topk(self.topk, dim=-1).values[..., -1:]
        keep = (weights >= kth).to(weights.dtype)
        weights = renorm(weights, keep)
        y = (weights @ v).transpose(1, 2).reshape(b, n, d)
        return self.out(y)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = SparseAttention(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, dim * 2), nn.GELU(), nn.Linear(dim * 2, dim))

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))


class Classifier(nn.Module):
    def __init__(self, dim=32, depth=2, classes=3):
        super().__init__()
        self.blocks = nn.Sequential(*(Block(dim) for _ in range(depth)))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.blocks(x).mean(dim=1))


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Classifier().to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=3e-4)
    with torch.no_grad():
        print("untrained:", net(torch.randn(1, 10, 32, device=device)).softmax(-1).cpu())
    for step in range(3):
        x = torch.randn(8, 10, 32, device=device)
        y = torch.randint(0, 3, (8,), device=device)
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
