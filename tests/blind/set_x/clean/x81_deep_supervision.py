"""Deeply supervised network; the loss gathers one term per exit."""
import torch
from torch import nn
import torch.nn.functional as F


class ExitNet(nn.Module):
    def __init__(self, inputs=8, dim=16, classes=3, depth=3):
        super().__init__()
        self.inp = nn.Linear(inputs, dim)
        self.blocks = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))
        self.exits = nn.ModuleList(nn.Linear(dim, classes) for _ in range(depth))

    def forward(self, x):
        h = self.inp(x).relu()
        outputs = []
        for block, leave in zip(self.blocks, self.exits):
            h = h + block(h).relu()
            outputs.append(leave(h))
        return outputs


class DeepSupervision:
    def __init__(self, decay=0.7):
        self.decay = decay

    def __call__(self, outputs, target):
        total = 0.0
        weight = 1.0
        for out in reversed(outputs):
            total += weight * F.cross_entropy(out, target)
            weight *= self.decay
        for a, b in zip(outputs, outputs[1:]):
            total += 0.1 * F.mse_loss(a, b.detach())
        return total


class Meter:
    def __init__(self):
        self.sum, self.n = 0.0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.n += n

    @property
    def mean(self):
        return self.sum / max(self.n, 1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net, criterion = ExitNet().to(device), DeepSupervision()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for epoch in range(2):
        meter, running = Meter(), torch.zeros((), device=device)
        for _ in range(4):
            x = torch.randn(16, 8, device=device)
            y = torch.randint(0, 3, (16,), device=device)
            loss = criterion(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.detach()
        meter.update(running.item() / 4, 4)
        print(epoch, meter.mean)


if __name__ == "__main__":
    main()
