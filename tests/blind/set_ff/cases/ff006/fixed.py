import time
from contextlib import contextmanager

import torch
from torch import nn


class StopWatch:
    """Wall-clock sections of a model that may live on an accelerator."""

    def __init__(self, model: nn.Module):
        self.where = next(model.parameters()).device
        self.totals = {}

    def _sync(self):
        if self.where.type == "cuda":
            torch.cuda.synchronize(self.where)

    @contextmanager
    def section(self, name):
        self._sync()
        begin = time.perf_counter()
        try:
            yield
        finally:
            self._sync()
            spent = time.perf_counter() - begin
            self.totals[name] = self.totals.get(name, 0.0) + spent

    def report(self, rounds):
        for name, total in sorted(self.totals.items(), key=lambda kv: -kv[1]):
            print(f"{name:>10s}: {1e3 * total / rounds:8.3f} ms")


class MixerBlock(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.token = nn.Sequential(nn.Linear(tokens, tokens * 2), nn.GELU(), nn.Linear(tokens * 2, tokens))
        self.channel = nn.Sequential(nn.Linear(dim, dim * 2), nn.GELU(), nn.Linear(dim * 2, dim))

    def forward(self, x):
        x = x + self.token(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel(self.norm2(x))


def build(depth=2, tokens=16, dim=32):
    return nn.Sequential(*[MixerBlock(tokens, dim) for _ in range(depth)])


def benchmark(rounds=5):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = build().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    watch = StopWatch(model)
    x = torch.randn(8, 16, 32, device=device)
    for _ in range(rounds):
        with watch.section("forward"):
            loss = model(x).pow(2).mean()
        with watch.section("backward"):
            optimizer.zero_grad()
            loss.backward()
        with watch.section("step"):
            optimizer.step()
    watch.report(rounds)


if __name__ == "__main__":
    benchmark()
