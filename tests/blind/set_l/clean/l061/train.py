import torch
import torch.nn as nn
import torch.nn.functional as F

from engine import Accumulator

CFG = dict(lr=3e-3, every=4, max_norm=1.0, epochs=2)


class SetEncoder(nn.Module):
    def __init__(self, d=5, h=24):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(d, h), nn.ReLU(), nn.Linear(h, h))
        self.rho = nn.Linear(h, 1)

    def forward(self, x):
        return self.rho(self.phi(x).sum(1)).squeeze(1)


def micro_batches(n):
    for _ in range(n):
        x = torch.randn(4, int(torch.randint(3, 7, (1,))), 5)
        yield x, x.amax((1, 2))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SetEncoder().to(device)
    acc = Accumulator(torch.optim.Adam(model.parameters(), lr=CFG["lr"]), CFG["every"], CFG["max_norm"])
    for epoch in range(CFG["epochs"]):
        total = 0.0
        for x, y in micro_batches(10):
            loss = F.mse_loss(model(x.to(device)), y.to(device))
            acc.backward(loss)
            total += loss.item()
        acc.flush()
        print(epoch, total / 10)


if __name__ == "__main__":
    main()
