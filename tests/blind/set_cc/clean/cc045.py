import random
from itertools import pairwise

import torch
from torch import nn
import torch.nn.functional as F


class SharedBottom(nn.Module):
    def __init__(self, din, dim, outputs):
        super().__init__()
        sizes = [din, dim, dim]
        self.bottom = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.towers = nn.ModuleList(nn.Linear(dim, n) for n in outputs)

    def forward(self, x):
        for layer in self.bottom:
            x = F.relu(layer(x))
        return [tower(x) for tower in self.towers]


class PCGrad:
    """Projects the gradient of each task on the normal plane of those it conflicts with."""

    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.params = [p for group in optimizer.param_groups for p in group["params"]]

    def _flat_gradient(self, loss, keep):
        grads = torch.autograd.grad(loss, self.params, retain_graph=keep, allow_unused=True)
        return torch.cat([torch.zeros_like(p).flatten() if g is None else g.flatten() for p, g in zip(self.params, grads)])

    def step(self, losses):
        last = len(losses) - 1
        raw = [self._flat_gradient(loss, keep=i < last) for i, loss in enumerate(losses)]
        projected = []
        for i, g in enumerate(raw):
            g = g.clone()
            others = [h for j, h in enumerate(raw) if j != i]
            random.shuffle(others)
            for h in others:
                inner = torch.dot(g, h)
                if inner < 0:
                    g -= inner / (h.dot(h) + 1e-12) * h
            projected.append(g)
        merged = torch.stack(projected).sum(dim=0)
        for p, piece in zip(self.params, merged.split([p.numel() for p in self.params])):
            p.grad = piece.view_as(p).clone()
        self.optimizer.step()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SharedBottom(9, 20, (3, 1)).to(device)
    pcgrad = PCGrad(torch.optim.Adam(model.parameters(), lr=1e-3))
    for _ in range(4):
        x = torch.randn(24, 9, device=device)
        kind, size = model(x)
        losses = [F.cross_entropy(kind, x[:, :3].argmax(1)), F.mse_loss(size, x.sum(1, keepdim=True))]
        pcgrad.step(losses)
    print([round(l.item(), 3) for l in losses])


if __name__ == "__main__":
    main()
