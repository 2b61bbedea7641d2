from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiTaskNet(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, dim), nn.ReLU(), nn.Linear(dim, dim), nn.ReLU())
        self.heads = nn.ModuleDict({
            "price": nn.Linear(dim, 1),
            "category": nn.Linear(dim, 4),
            "sold": nn.Linear(dim, 1),
        })

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}


TASK_LOSSES = {
    "price": lambda out, y: F.mse_loss(out.squeeze(-1), y),
    "category": F.cross_entropy,
    "sold": lambda out, y: F.binary_cross_entropy_with_logits(out.squeeze(-1), y),
}


def per_task(outputs, targets):
    return OrderedDict((k, TASK_LOSSES[k](outputs[k], targets[k])) for k in TASK_LOSSES)


def combine(losses, weights):
    values = torch.stack([weights[k] * v for k, v in losses.items()])
    return values.sum()


def synthetic(n=32):
    x = torch.randn(n, 10)
    return x, {
        "price": x[:, 0] * 2 + 1,
        "category": torch.randint(0, 4, (n,)),
        "sold": (x[:, 1] > 0).float(),
    }


class Trainer:
    def __init__(self, model, weights, lr=1e-2):
        self.model = model
        self.weights = weights
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.history = []

    def step(self, x, targets):
        losses = per_task(self.model(x), targets)
        total = combine(losses, self.weights)
        self.optimizer.zero_grad()
        total.backward()
        self.optimizer.step()
        self.history.append({k: v.item() for k, v in losses.items()})

    def fit(self, steps):
        for _ in range(steps):
            self.step(*synthetic())
        return self.history[-1]


if __name__ == "__main__":
    torch.manual_seed(0)
    print(Trainer(MultiTaskNet(), {"price": 0.5, "category": 1.0, "sold": 1.0}).fit(5))
