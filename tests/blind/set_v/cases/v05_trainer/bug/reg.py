import torch
from torch import nn

from engine import Engine


def batches(n=4):
    g = torch.Generator().manual_seed(3)
    w = torch.randn(6, 1, generator=g)
    out = []
    for _ in range(n):
        x = torch.randn(16, 6, generator=g)
        out.append((x, x @ w))
    return out


def build(lr=0.01):
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
    return Engine(model, torch.optim.SGD(model.parameters(), lr=lr), nn.MSELoss())


if __name__ == "__main__":
    engine = build()
    losses = []

    def log(_, loss):
        losses.append(loss)

    engine.on("after", log)
    engine.run(batches(), epochs=2)
    print(losses[0], losses[-1])
