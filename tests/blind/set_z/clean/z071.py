"""Second-order MAML over sine waves, with hand-made inner updates."""
import argparse
import math
from collections import OrderedDict
from typing import Dict, Iterator, NamedTuple

import torch
from torch import nn
import torch.nn.functional as F
from torch.func import functional_call


class Task(NamedTuple):
    x_support: torch.Tensor
    y_support: torch.Tensor
    x_query: torch.Tensor
    y_query: torch.Tensor

    def to(self, device):
        return Task(*(t.to(device) for t in self))


class SineTasks:
    def __init__(self, shots=5, queries=8, seed=0):
        self.shots, self.queries = shots, queries
        self.g = torch.Generator().manual_seed(seed)

    def __iter__(self) -> Iterator[Task]:
        while True:
            amp = torch.rand(1, generator=self.g) * 4 + 0.5
            phase = torch.rand(1, generator=self.g) * math.pi
            x = torch.rand(self.shots + self.queries, 1, generator=self.g) * 10 - 5
            y = amp * torch.sin(x + phase)
            s = self.shots
            yield Task(x[:s], y[:s], x[s:], y[s:])


class Net(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x)


class InnerLoop:
    """Adapts named weights; the graph through the updates is kept on purpose."""

    def __init__(self, model, lr, steps, first_order=False):
        self.model, self.lr, self.steps, self.first_order = model, lr, steps, first_order

    def __call__(self, weights: Dict[str, torch.Tensor], x, y):
        for _ in range(self.steps):
            loss = F.mse_loss(functional_call(self.model, weights, (x,)), y)
            grads = torch.autograd.grad(loss, list(weights.values()), create_graph=not self.first_order)
            weights = OrderedDict((k, w - self.lr * g) for (k, w), g in zip(weights.items(), grads))
        return weights


class MetaTrainer:
    def __init__(self, args, device):
        self.device = device
        self.model = Net().to(device)
        self.inner = InnerLoop(self.model, args.inner_lr, args.inner_steps, args.first_order)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=args.lr)
        self.meta_batch = args.meta_batch

    def step(self, tasks):
        self.opt.zero_grad()
        total = 0.0
        for _ in range(self.meta_batch):
            t = next(tasks).to(self.device)
            fast = self.inner(OrderedDict(self.model.named_parameters()), t.x_support, t.y_support)
            loss = F.mse_loss(functional_call(self.model, fast, (t.x_query,)), t.y_query) / self.meta_batch
            loss.backward()
            total += loss.item()
        self.opt.step()
        return total


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=2)
    p.add_argument("--meta-batch", type=int, default=2)
    p.add_argument("--inner-lr", type=float, default=0.02)
    p.add_argument("--inner-steps", type=int, default=2)
    p.add_argument("--first-order", action="store_true")
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    trainer, tasks = MetaTrainer(args, device), iter(SineTasks())
    for step in range(args.steps):
        print(step, trainer.step(tasks))


if __name__ == "__main__":
    main()
