from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class AttnConfig:
    dim: int = 32
    heads: int = 4
    temperature: float = 1.0
    max_len: int = 16


class CosineAttention(nn.Module):
    def __init__(self, cfg: AttnConfig):
        super().__init__()
        self.heads = cfg.heads
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.proj = nn.Linear(cfg.dim, cfg.dim)
        scale = torch.full((cfg.heads, 1, 1), cfg.temperature)
        self.scale = nn.Parameter(scale)

    def forward(self, x):
        b, n, d = x.shape
        qkv = self.qkv(x).view(b, n, 3, self.heads, d // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        attn = (q @ k.transpose(-2, -1)) * self.scale
        out = attn.softmax(dim=-1) @ v
        return self.proj(out.transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.attn = CosineAttention(cfg)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, 2 * cfg.dim), nn.GELU(), nn.Linear(2 * cfg.dim, cfg.dim))

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))


def main():
    torch.manual_seed(0)
    cfg = AttnConfig()
    net = nn.Sequential(*[Block(cfg) for _ in range(2)])
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    x = torch.randn(4, cfg.max_len, cfg.dim)
    for _ in range(3):
        loss = F.mse_loss(net(x), x.flip(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


if __name__ == "__main__":
    main()
