import torch
from torch import nn
import torch.nn.functional as F


class Rotary(nn.Module):
    def __init__(self, dim, base=10000.0):
        super().__init__()
        freq = base ** (-torch.arange(0, dim, 2).float() / dim)
        self.register_buffer("freq", freq, persistent=False)
        self._cos = None
        self._sin = None

    def tables(self, n, device, dtype):
        stale = self._cos is None or self._cos.size(0) < n
        if stale or self._cos.device != device or self._cos.dtype != dtype:
            angle = torch.outer(torch.arange(n, device=device).float(), self.freq.to(device))
            angle = torch.cat([angle, angle], -1)
            self._cos, self._sin = angle.cos().to(dtype), angle.sin().to(dtype)
        return self._cos[:n], self._sin[:n]

    @staticmethod
    def rotate(x):
        a, b = x.chunk(2, -1)
        return torch.cat([-b, a], -1)

    def forward(self, q, k):
        cos, sin = self.tables(q.size(-2), q.device, q.dtype)
        return q * cos + self.rotate(q) * sin, k * cos + self.rotate(k) * sin


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim, bias=False)
        self.rotary = Rotary(dim // heads)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        q, k = self.rotary(q, k)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(b, n, d))


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.gain


class Llamalet(nn.Module):
    def __init__(self, vocab=32, dim=32, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.attn = nn.ModuleList(Attention(dim, 4) for _ in range(depth))
        self.norm = nn.ModuleList(RMSNorm(dim) for _ in range(depth))
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        x = self.emb(ids)
        for norm, attn in zip(self.norm, self.attn):
            x = x + attn(norm(x))
        return self.head(x)


def smoke():
    torch.manual_seed(0)
    model = Llamalet()
    with torch.no_grad():
        before = model(torch.arange(6)[None]).sum().item()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95))
    for n in (8, 12, 6):
        ids = torch.randint(0, 32, (2, n + 1), device=device)
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return before, loss.item()


if __name__ == "__main__":
    print(smoke())
