"""Sparse network: weights below a threshold are reset after each epoch."""
import torch
from torch import nn


class MagnitudePruner:
    """Zeroes the smallest weights of the linear layers."""

    def __init__(self, model: nn.Module, amount: float = 0.3):
        self.layers = [m for m in model.modules() if isinstance(m, nn.Linear)]
        self.amount = amount

    def _threshold(self, weight: torch.Tensor) -> torch.Tensor:
        k = max(1, int(weight.numel() * self.amount))
        return weight.detach().abs().flatten().kthvalue(k).values

    @torch.no_grad()
    def apply(self):
        for layer in self.layers:
            mask = layer.weight.abs() > self._threshold(layer.weight)
            layer.weight.mul_(mask)

    def sparsity(self) -> float:
        zeros = sum((layer.weight == 0).sum().item() for layer in self.layers)
        return zeros / sum(layer.weight.numel() for layer in self.layers)


def loop(model, pruner, data, epochs=2):
    opt = torch.optim.SGD(model.parameters(), lr=0.05, weight_decay=1e-4)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        model.train()
        for x, y in data:
            opt.zero_grad()
            loss_fn(model(x), y).backward()
            opt.step()
        pruner.apply()
        print(f"epoch {epoch}: sparsity {pruner.sparsity():.2f}")


def toy(batches=4):
    out = []
    for _ in range(batches):
        x = torch.randn(20, 6)
        out.append((x, (x[:, 0] > x[:, 1]).long()))
    return out


def main():
    model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
    loop(model, MagnitudePruner(model), toy())


if __name__ == "__main__":
    main()
