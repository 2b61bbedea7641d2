import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class SharedTrunk(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh())
        self.reg = nn.Linear(24, 1)
        self.cls = nn.Linear(24, 3)

    def forward(self, x):
        h = self.trunk(x)
        return self.reg(h).squeeze(1), self.cls(h)


class PCGrad:
    """Projects conflicting task gradients before the update."""

    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.params = [p for g in optimizer.param_groups for p in g["params"]]

    def _flat(self, loss, retain):
        grads = torch.autograd.grad(loss, self.params, retain_graph=retain, allow_unused=True)
        return torch.cat([
            (torch.zeros_like(p) if g is None else g).flatten() for p, g in zip(self.params, grads)
        ])

    def step(self, losses):
        flats = [self._flat(l, retain=i < len(losses) - 1) for i, l in enumerate(losses)]
        merged = []
        for i, g in enumerate(flats):
            g = g.clone()
            others = [o for j, o in enumerate(flats) if j != i]
            random.shuffle(others)
            for o in others:
                dot = torch.dot(g, o)
                if dot < 0:
                    g -= dot / o.norm().pow(2) * o
            merged.append(g)
        self._write(torch.stack(merged).sum(0))
        self.optimizer.step()

    def _write(self, flat):
        offset = 0
        for p in self.params:
            n = p.numel()
            p.grad = flat[offset:offset + n].view_as(p).clone()
            offset += n


def separate_backward(model, opt, x, y, c):
    pred, logits = model(x)
    first, second = F.mse_loss(pred, y), F.cross_entropy(logits, c)
    opt.zero_grad()
    first.backward(retain_graph=True)
    share = model.trunk[0].weight.grad.norm().item()
    second.backward()
    opt.step()
    return share, model.trunk[0].weight.grad.norm().item()


def main():
    torch.manual_seed(0)
    random.seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SharedTrunk().to(device)
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    surgeon = PCGrad(adam)
    x = torch.randn(64, 6, device=device)
    y, c = x.sum(1), x[:, :3].argmax(1)
    for step in range(10):
        pred, logits = model(x)
        losses = [F.mse_loss(pred, y), F.cross_entropy(logits, c)]
        surgeon.step(losses)
    print([l.item() for l in losses])
    print(separate_backward(model, adam, x, y, c))


if __name__ == "__main__":
    main()
