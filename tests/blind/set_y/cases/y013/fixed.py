import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttention(nn.Module):
    """Transformer style attention that is limited to the neighbours of a node."""

    def __init__(self, dim, heads=2):
        super().__init__()
        self.heads, self.dk = heads, dim // heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim)

    def split(self, t):
        n = t.size(0)
        return t.view(n, self.heads, self.dk).transpose(0, 1)

    def forward(self, x, adj):
        q, k, v = map(self.split, self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.dk)
        attn = F.softmax(scores, dim=-1)
        attn = attn * adj
        attn = attn / attn.sum(-1, keepdim=True).clamp(min=1e-6)
        return self.out((attn @ v).transpose(0, 1).reshape(x.size(0), -1))


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.attn, self.norm = GraphAttention(dim), nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x, adj):
        x = x + self.attn(self.norm(x), adj)
        return x + self.ff(x)


def train(epochs=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    adj = (torch.rand(30, 30) < 0.2).float().to(device)
    adj.fill_diagonal_(1.0)
    feats = torch.randn(30, 16, device=device)
    labels = torch.randint(0, 3, (30,), device=device)
    blocks = nn.ModuleList([Block(16) for _ in range(2)]).to(device)
    head = nn.Linear(16, 3).to(device)
    opt = torch.optim.Adam([*blocks.parameters(), *head.parameters()], lr=5e-3)
    for epoch in range(epochs):
        h = feats
        for block in blocks:
            h = block(h, adj)
        loss = F.cross_entropy(head(h), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(epoch, loss.item())


train()
