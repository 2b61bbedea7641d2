"""Masked autoencoder for short series; the attention saves memory by writing into its own scores."""
import math

import torch
from torch import nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class LeanAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def _split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, valid):
        q, k, v = self._split(self.q(x)), self._split(self.k(x)), self._split(self.v(x))
        score = q @ k.transpose(-1, -2)
        score /= math.sqrt(q.shape[-1])
        score.masked_fill_(~valid[:, None, None, :], float("-inf"))
        y = score.softmax(dim=-1) @ v
        return self.o(y.transpose(1, 2).flatten(2))


class Autoencoder(nn.Module):
    def __init__(self, dim=16, length=12):
        super().__init__()
        self.inp = nn.Linear(1, dim)
        self.pos = nn.Parameter(0.02 * torch.randn(length, dim))
        self.mask_token = nn.Parameter(torch.zeros(dim))
        self.norm = nn.LayerNorm(dim)
        self.attn = LeanAttention(dim, 2)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(inplace=True), nn.Linear(2 * dim, dim))
        self.out = nn.Linear(dim, 1)

    def forward(self, series, hidden, valid):
        x = self.inp(series.unsqueeze(-1))
        x[hidden] = self.mask_token
        x += self.pos
        y = self.attn(self.norm(x), valid)
        y += x
        return self.out(y + self.ff(y)).squeeze(-1)


model = Autoencoder().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(5):
    series = torch.randn(8, 12, device=device).cumsum(dim=1)
    lengths = torch.randint(6, 13, (8, 1), device=device)
    valid = torch.arange(12, device=device) < lengths
    hidden = (torch.rand(8, 12, device=device) < 0.4) & valid
    error = F.smooth_l1_loss(model(series, hidden, valid), series, reduction="none")
    loss = (error * hidden).sum() / hidden.sum().clamp(min=1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
