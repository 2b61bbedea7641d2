import math

import torch
import torch.nn as nn


class SinusoidalPositions(nn.Module):
    """Tables are built when first needed and again after a move."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self._tables = {}

    def table(self, n, device, dtype):
        key = (device, dtype)
        cached = self._tables.get(key)
        if cached is None or cached.size(0) < n:
            pos = torch.arange(n, device=device, dtype=dtype)[:, None]
            div = torch.exp(torch.arange(0, self.dim, 2, device=device, dtype=dtype) * (-math.log(1e4) / self.dim))
            cached = torch.zeros(n, self.dim, device=device, dtype=dtype)
            cached[:, 0::2] = torch.sin(pos * div)
            cached[:, 1::2] = torch.cos(pos * div)
            self._tables[key] = cached
        return cached[:n]

    def forward(self, x):
        return x + self.table(x.size(1), x.device, x.dtype)


class Net(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.pos = SinusoidalPositions(dim)
        self.layer = nn.TransformerEncoderLayer(dim, 2, 32, dropout=0.0, batch_first=True)
        self.out = nn.Linear(dim, 1)

    def forward(self, x):
        return self.out(self.layer(self.pos(x)).mean(1)).squeeze(-1)


model = Net()
with torch.no_grad():
    print("on the host:", model(torch.randn(1, 7, 16)).shape)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for n in (5, 9, 6):
    x = torch.randn(4, n, 16, device=device)
    loss = (model(x) - x.mean((1, 2))).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(n, loss.item())
