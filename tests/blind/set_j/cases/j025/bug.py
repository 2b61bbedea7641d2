import torch
import torch.nn as nn
import torch.nn.functional as F


class Rotary(nn.Module):
    def __init__(self, dim, base=10000):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / base ** (torch.arange(0, dim, 2).float() / dim))
        self._len = 0
        self._cos = self._sin = None

    def tables(self, x):
        n = x.size(-2)
        if n > self._len:
            t = torch.arange(n, device=x.device, dtype=self.inv_freq.dtype)
            f = torch.outer(t, self.inv_freq)
            f = torch.cat([f, f], -1)
            self._cos, self._sin, self._len = f.cos(), f.sin(), n
        return self._cos[:n], self._sin[:n]

    def forward(self, x):
        cos, sin = self.tables(x)
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin


class Encoder(nn.Module):
    def __init__(self, vocab=30, dim=16, heads=2):
        super().__init__()
        self.h = heads
        self.emb = nn.Embedding(vocab, dim)
        self.qkv = nn.Linear(dim, dim * 3)
        self.out = nn.Linear(dim, vocab)
        self.rotary = Rotary(dim // heads)

    def forward(self, ids):
        b, n = ids.shape
        q, k, v = (z.view(b, n, self.h, -1).transpose(1, 2) for z in self.qkv(self.emb(ids)).chunk(3, -1))
        q, k = self.rotary(q), self.rotary(k)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, n, -1))


def count_flops(model, n=12):
    """Dry run on the host to print the shape of every linear."""
    shapes = []
    hooks = [m.register_forward_hook(lambda m, i, o: shapes.append(tuple(o.shape))) for m in model.modules() if isinstance(m, nn.Linear)]
    with torch.no_grad():
        model(torch.zeros(1, n, dtype=torch.long))
    for h in hooks:
        h.remove()
    return shapes


model = Encoder()
print(count_flops(model))
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = model.to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(3):
    ids = torch.randint(0, 30, (4, 12), device=device)
    logits = model(ids)
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
