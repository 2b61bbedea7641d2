"""Perceiver-like pooling with factory keyword arguments."""
import torch
from torch import nn


class LatentPool(nn.Module):
    def __init__(self, dim, latents=4, heads=2, device=None, dtype=None):
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        self.queries = nn.Parameter(torch.empty(latents, dim, **factory))
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True, **factory)
        self.gate = nn.Parameter(torch.zeros(dim, **factory))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.trunc_normal_(self.queries, std=0.02)
        with torch.no_grad():
            self.gate.fill_(0.5)

    def forward(self, x):
        q = self.queries.expand(x.size(0), -1, -1)
        pooled, _ = self.attn(q, x, x, need_weights=False)
        return q + self.gate * pooled


class Perceiver(nn.Module):
    def __init__(self, inputs=5, dim=16, classes=3, **factory):
        super().__init__()
        self.embed = nn.Linear(inputs, dim, **factory)
        self.pool = LatentPool(dim, **factory)
        self.head = nn.Linear(dim, classes, **factory)

    def forward(self, x):
        return self.head(self.pool(self.embed(x)).mean(dim=1))


class Optimisation:
    def __init__(self, model):
        named = dict(model.named_parameters())
        slow = [named.pop("pool.queries"), named.pop("pool.gate")]
        self.opt = torch.optim.Adam([{"params": slow, "lr": 1e-4}, {"params": list(named.values())}], lr=1e-3)

    def __call__(self, loss):
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Perceiver(device=device, dtype=torch.float32)
    optimise = Optimisation(model)
    for _ in range(3):
        x = torch.randn(4, 9, 5, device=device)
        y = torch.randint(0, 3, (4,), device=device)
        optimise(nn.functional.cross_entropy(model(x), y))


if __name__ == "__main__":
    main()
