"""Local attention; the module moves its own table."""
import torch
from torch import nn


class LocalMask(nn.Module):
    """Band mask kept out of the state dict and of `buffers()`."""

    def __init__(self, length: int, radius: int):
        super().__init__()
        pos = torch.arange(length)
        self.table = (pos[:, None] - pos[None, :]).abs() > radius

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.table = fn(self.table)
        return self

    def forward(self, scores):
        n = scores.size(-1)
        return scores.masked_fill(self.table[:n, :n], float("-inf"))


class LocalAttention(nn.Module):
    def __init__(self, dim, heads=2, length=32, radius=2):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.mask = LocalMask(length, radius)

    def split(self, t):
        b, n, d = t.shape
        return t.view(b, n, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, x):
        q, k, v = (self.split(t) for t in self.qkv(x).chunk(3, dim=-1))
        scores = self.mask(q @ k.transpose(-1, -2) * q.size(-1) ** -0.5)
        y = scores.softmax(dim=-1) @ v
        return self.out(y.transpose(1, 2).flatten(2))


class Encoder(nn.Module):
    def __init__(self, dim=16, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList(LocalAttention(dim) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))

    def forward(self, x):
        for norm, block in zip(self.norms, self.blocks):
            x = x + block(norm(x))
        return x


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Encoder().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for n in (8, 20):
        x = torch.randn(2, n, 16, device=device)
        loss = (model(x) - x.flip(1)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
