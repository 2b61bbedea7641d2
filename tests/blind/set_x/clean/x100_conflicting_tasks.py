"""PCGrad: gradients of several tasks are projected before they are written."""
from typing import List, Sequence

import torch
from torch import nn


class PCGrad:
    def __init__(self, optimizer: torch.optim.Optimizer):
        self.optimizer = optimizer
        self.params = [p for g in optimizer.param_groups for p in g["params"]]

    def _gradient(self, loss, keep):
        grads = torch.autograd.grad(loss, self.params, retain_graph=keep, allow_unused=True)
        return torch.cat([
            (torch.zeros_like(p) if g is None else g).flatten() for p, g in zip(self.params, grads)
        ])

    @staticmethod
    def _project(grads: List[torch.Tensor]):
        result = []
        for i, g in enumerate(grads):
            g = g.clone()
            for j, other in enumerate(grads):
                if i != j:
                    dot = torch.dot(g, other).clamp(max=0)
                    g -= dot / other.dot(other).clamp(min=1e-12) * other
            result.append(g)
        return torch.stack(result).sum(dim=0)

    def backward(self, losses: Sequence[torch.Tensor]):
        last = len(losses) - 1
        flat = self._project([self._gradient(loss, i < last) for i, loss in enumerate(losses)])
        start = 0
        for p in self.params:
            p.grad = flat[start : start + p.numel()].view_as(p).clone()
            start += p.numel()

    def step(self):
        self.optimizer.step()
        self.optimizer.zero_grad()


class SharedNet(nn.Module):
    def __init__(self, tasks=3):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, 20), nn.Tanh())
        self.heads = nn.ModuleList(nn.Linear(20, 1) for _ in range(tasks))

    def forward(self, x):
        h = self.trunk(x)
        return [head(h).squeeze(1) for head in self.heads]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = SharedNet().to(device)
    pc = PCGrad(torch.optim.SGD(net.parameters(), lr=0.05))
    for _ in range(4):
        x = torch.randn(24, 6, device=device)
        targets = [x.sum(1), -x.sum(1), x[:, 0]]
        pc.backward([(o - t).pow(2).mean() for o, t in zip(net(x), targets)])
        pc.step()


if __name__ == "__main__":
    main()
