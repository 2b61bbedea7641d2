"""Cross attention with renormalised attention dropout per head."""
import torch
from torch import nn


class HeadGate(nn.Module):
    def __init__(self, heads, p=0.25):
        super().__init__()
        self.heads, self.p = heads, p

    def forward(self, n, device):
        if not self.training or self.p == 0:
            return torch.ones(n, self.heads, 1, 1, device=device)
        return (torch.rand(n, self.heads, 1, 1, device=device) >= self.p).float()


class CrossAttention(nn.Module):
    def __init__(self, dim, ctx_dim, heads=2, p=0.25):
        super().__init__()
        assert dim % heads == 0
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.q = nn.Linear(dim, dim, bias=False)
        self.kv = nn.Linear(ctx_dim, 2 * dim, bias=False)
        self.gate = HeadGate(heads, p)
        self.out = nn.Linear(dim, dim)

    def split(self, t):
        b, n, d = t.shape
        return t.view(b, n, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, x, context, key_padding=None):
        q = self.split(self.q(x))
        k, v = map(self.split, self.kv(context).chunk(2, dim=-1))
        logits = torch.matmul(q, k.transpose(-2, -1)) * self.scale
        if key_padding is not None:
            logits = logits.masked_fill(key_padding[:, None, None, :], torch.finfo(logits.dtype).min)
        attn = logits.softmax(dim=-1)
        attn = attn * self.gate(x.size(0), x.device)
        y = torch.matmul(attn, v).transpose(1, 2).flatten(2)
        return self.out(y)


class Block(nn.Module):
    def __init__(self, dim, ctx_dim):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = CrossAttention(dim, ctx_dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x, context, key_padding=None):
        x = x + self.attn(self.n1(x), context, key_padding)
        return x + self.ff(self.n2(x))


def objective(block, x, context, target, key_padding=None):
    return nn.functional.mse_loss(block(x, context, key_padding), target)


def fit_step(block, optimizer, batch):
    loss = objective(block, *batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
