import torch
import torch.nn as nn
import torch.nn.functional as F

from rope import AngleCache, rotate


class Block(nn.Module):
    def __init__(self, dim, heads, cache):
        super().__init__()
        self.heads, self.cache = heads, cache
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        att = F.scaled_dot_product_attention(rotate(q, self.cache), rotate(k, self.cache), v, is_causal=True)
        return x + self.out(att.transpose(1, 2).reshape(b, n, d))


class Model(nn.Module):
    def __init__(self, dim=32, heads=4, depth=2):
        super().__init__()
        cache = AngleCache(dim // heads)
        self.blocks = nn.Sequential(*[Block(dim, heads, cache) for _ in range(depth)])
        self.head = nn.Linear(dim, 1)

    def forward(self, x):
        return self.head(self.blocks(x)).squeeze(-1)


def sanity_check(model):
    with torch.no_grad():
        assert model(torch.zeros(1, 6, 32)).shape == (1, 6)


def main():
    model = Model()
    sanity_check(model)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for n in (6, 9, 6):
        x = torch.randn(4, n, 32, device=device)
        loss = F.mse_loss(model(x), x.mean(-1).cumsum(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(n, loss.item())


if __name__ == "__main__":
    main()
