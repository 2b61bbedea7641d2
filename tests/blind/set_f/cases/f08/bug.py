import argparse
from collections import OrderedDict

import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self, d, tasks):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, 32), nn.Tanh())
        self.heads = nn.ModuleDict({name: nn.Linear(32, k) for name, k in tasks.items()})

    def forward(self, x):
        h = self.trunk(x)
        return OrderedDict((name, head(h)) for name, head in self.heads.items())


class WeightedSum:
    """Weighs the losses of the tasks by how often each of them was labelled."""

    def __init__(self, tasks):
        self.counts = {t: 1 for t in tasks}
        self.ce = nn.CrossEntropyLoss()

    def __call__(self, outputs, targets):
        parts = []
        for name, logits in outputs.items():
            self.counts[name] += len(targets[name])
            parts.append(self.ce(logits, targets[name]))
        total = sum(self.counts.values())
        weights = torch.tensor([total / self.counts[n] for n in outputs])
        return (torch.stack(parts) * weights / weights.sum()).sum()


def batches(n, d, tasks, device):
    for _ in range(n):
        x = torch.randn(8, d, device=device)
        yield x, {t: torch.randint(0, k, (8,), device=device) for t, k in tasks.items()}


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--gpu", action="store_true", default=torch.cuda.is_available())
    p.add_argument("--iters", type=int, default=3)
    return p.parse_args()


if __name__ == "__main__":
    opt = parse()
    device = torch.device("cuda") if opt.gpu else torch.device("cpu")
    tasks = {"age": 4, "mood": 3}
    model = MultiTask(10, tasks)
    model.to(device)
    objective = WeightedSum(tasks)
    sgd = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for x, y in batches(opt.iters, 10, tasks, device):
        sgd.zero_grad(set_to_none=True)
        loss = objective(model(x), y)
        loss.backward()
        sgd.step()
        print(f"{loss.item():.4f}")
