from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class AverageMeter:
    def __init__(self):
        self.sum = 0.0
        self.count = 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


class DeviceMeter:
    """Accumulates on the accelerator and synchronises only when it is read."""

    def __init__(self, device):
        self.total = torch.zeros((), device=device)
        self.n = 0

    def update(self, value):
        self.total += value.detach()
        self.n += 1

    def read(self):
        return (self.total / max(self.n, 1)).item()


class MultiTask(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.heads = nn.ModuleDict({name: nn.Linear(32, n) for name, n in heads.items()})

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}


def step_losses(outputs, targets):
    total = 0.0
    parts = {}
    for name, logits in outputs.items():
        loss = F.cross_entropy(logits, targets[name])
        total = total + loss
        parts[name] = loss.detach()
    return total, parts


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    heads = {"color": 3, "shape": 4}
    model = MultiTask(heads).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    data = TensorDataset(torch.randn(96, 8), torch.randint(0, 3, (96,)), torch.randint(0, 4, (96,)))

    history = defaultdict(list)
    for epoch in range(2):
        running, plain = DeviceMeter(device), AverageMeter()
        model.train()
        for x, c, s in DataLoader(data, batch_size=16, shuffle=True):
            x = x.to(device)
            targets = {"color": c.to(device), "shape": s.to(device)}
            loss, parts = step_losses(model(x), targets)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running.update(loss)
            plain.update(loss.item(), x.size(0))
            for name, value in parts.items():
                history[name].append(value)
        summary = {name: torch.stack(values).mean().item() for name, values in history.items()}
        print(epoch, running.read(), plain.avg, summary)


if __name__ == "__main__":
    main()
