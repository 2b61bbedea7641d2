import torch
import torch.nn as nn


class Rotary(nn.Module):
    def __init__(self, dim, base=10000.0):
        super().__init__()
        self.register_buffer("inv_freq", base ** (-torch.arange(0, dim, 2).float() / dim), persistent=False)
        self._tables = {}

    def tables(self, n, device):
        if n not in self._tables:
            pos = torch.arange(n, device=self.inv_freq.device).float()
            ang = torch.outer(pos, self.inv_freq)
            self._tables[n] = (ang.cos(), ang.sin())
        return self._tables[n]

    def forward(self, x):
        cos, sin = self.tables(x.size(-2), x.device)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.rope = Rotary(dim // heads)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in self.to_qkv(x).chunk(3, -1))
        out = nn.functional.scaled_dot_product_attention(self.rope(q), self.rope(k), v)
        return self.proj(out.transpose(1, 2).reshape(b, n, d))


def summary(model, shape):
    with torch.no_grad():
        out = model(torch.zeros(shape))
    n = sum(p.numel() for p in model.parameters())
    print(f"{type(model).__name__}: {n} parameters, {tuple(shape)} -> {tuple(out.shape)}")


def main():
    model = Attention(32, 4)
    summary(model, (1, 10, 32))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(3):
        x = torch.randn(4, 10, 32, device=device)
        loss = (model(x) - x.roll(1, 1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


main()
