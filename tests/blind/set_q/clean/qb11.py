import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiTask(nn.Module):
    def __init__(self, tasks=("depth", "normal", "edge")):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.heads = nn.ModuleDict({t: nn.Linear(32, 2) for t in tasks})

    def forward(self, x):
        h = self.trunk(x)
        return {t: head(h) for t, head in self.heads.items()}

    def shared(self):
        return list(self.trunk.parameters())


def flatten(grads):
    return torch.cat([g.flatten() for g in grads])


def unflatten(vec, like):
    out, i = [], 0
    for p in like:
        out.append(vec[i:i + p.numel()].view_as(p))
        i += p.numel()
    return out


def pcgrad(grads):
    grads = list(grads)
    result = []
    for i, g in enumerate(grads):
        g = g.clone()
        others = [o for j, o in enumerate(grads) if j != i]
        random.shuffle(others)
        for o in others:
            dot = torch.dot(g, o)
            if dot < 0:
                g -= dot / o.norm().square().clamp(min=1e-12) * o
        result.append(g)
    return torch.stack(result).sum(0)


def step(model, opt, x, targets):
    losses = {t: F.mse_loss(o, targets[t]) for t, o in model(x).items()}
    shared = model.shared()
    opt.zero_grad()
    per_task = []
    for loss in losses.values():
        per_task.append(flatten(torch.autograd.grad(loss, shared, retain_graph=True)))
    heads = list(model.heads.parameters())
    for p, g in zip(heads, torch.autograd.grad(sum(losses.values()), heads)):
        p.grad = g
    for p, g in zip(shared, unflatten(pcgrad(per_task), shared)):
        p.grad = g.clone()
    opt.step()
    return {t: l.detach() for t, l in losses.items()}


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MultiTask().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    proj = {t: torch.randn(12, 2, device=device) for t in model.heads}
    for it in range(10):
        x = torch.randn(32, 12, device=device)
        logs = step(model, opt, x, {t: x @ w for t, w in proj.items()})
    print({k: round(v.item(), 3) for k, v in logs.items()})


if __name__ == "__main__":
    main()
