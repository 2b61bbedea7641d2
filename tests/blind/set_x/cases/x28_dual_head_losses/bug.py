"""Multi-task training with one optimizer per head and a shared trunk."""
from typing import Dict

import torch
from torch import nn


class Trunk(nn.Module):
    def __init__(self, inputs=8, dim=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, dim), nn.GELU(), nn.Linear(dim, dim))

    def forward(self, x):
        return self.net(x)


class MultiTask(nn.Module):
    def __init__(self, tasks: Dict[str, int]):
        super().__init__()
        self.trunk = Trunk()
        self.heads = nn.ModuleDict({name: nn.Linear(16, out) for name, out in tasks.items()})

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}


def task_loss(name, out, target):
    if name == "kind":
        return nn.functional.cross_entropy(out, target)
    return nn.functional.smooth_l1_loss(out.squeeze(-1), target)


class MultiTaskTrainer:
    def __init__(self, model: MultiTask, weights: Dict[str, float]):
        self.model = model
        self.weights = weights
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def losses(self, x, targets):
        outputs = self.model(x)
        return {n: self.weights[n] * task_loss(n, outputs[n], targets[n]) for n in targets}

    def step(self, x, targets):
        losses = self.losses(x, targets)
        self.optimizer.zero_grad()
        for name in losses:
            losses[name].backward()
        self.optimizer.step()
        return {n: v.detach() for n, v in losses.items()}


def main():
    trainer = MultiTaskTrainer(MultiTask({"kind": 3, "size": 1}), {"kind": 1.0, "size": 0.5})
    for _ in range(3):
        x = torch.randn(16, 8)
        report = trainer.step(x, {"kind": torch.randint(0, 3, (16,)), "size": x.norm(dim=1)})
    print({k: round(v.item(), 3) for k, v in report.items()})


if __name__ == "__main__":
    main()
