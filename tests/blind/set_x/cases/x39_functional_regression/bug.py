"""Softmax regression with hand-written momentum."""
from typing import Dict

import torch
import torch.nn.functional as F


class SoftmaxRegression:
    def __init__(self, features: int, classes: int):
        self.params: Dict[str, torch.Tensor] = {
            "weight": (torch.randn(features, classes) * 0.01).requires_grad_(),
            "bias": torch.zeros(classes, requires_grad=True),
        }
        self.velocity = {k: torch.zeros_like(p) for k, p in self.params.items()}

    def logits(self, x):
        return x @ self.params["weight"] + self.params["bias"]

    def loss(self, x, y, decay=1e-3):
        return F.cross_entropy(self.logits(x), y) + decay * self.params["weight"].pow(2).sum()

    def accuracy(self, x, y):
        with torch.no_grad():
            return (self.logits(x).argmax(dim=1) == y).float().mean().item()

    def update(self, lr, momentum=0.9):
        for name, p in self.params.items():
            v = momentum * self.velocity[name] + p.grad
            self.velocity[name] = v
            self.params[name] = p - lr * v

    def clear(self):
        for p in self.params.values():
            p.grad = None


def train(model, x, y, steps=5, lr=0.1, batch=16):
    order = torch.randperm(x.size(0))
    for step in range(steps):
        idx = order[(step * batch) % x.size(0) :][:batch]
        model.clear()
        loss = model.loss(x[idx], y[idx])
        loss.backward()
        model.update(lr)
    return model


if __name__ == "__main__":
    x = torch.randn(80, 5)
    y = x[:, :3].argmax(dim=1)
    model = train(SoftmaxRegression(5, 3), x, y)
    print(model.accuracy(x, y))
