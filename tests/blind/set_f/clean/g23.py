import torch
from torch import nn


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, 12), nn.Tanh())
        self.a, self.b = nn.Linear(12, 1), nn.Linear(12, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.a(h), self.b(h)


def project(grads_a, grads_b):
    """Removes from the first gradient what conflicts with the second."""
    dot = sum((g * h).sum() for g, h in zip(grads_a, grads_b))
    if dot >= 0:
        return grads_a
    norm = sum(h.pow(2).sum() for h in grads_b)
    return [g - dot / norm * h for g, h in zip(grads_a, grads_b)]


def surgery(net, loss_a, loss_b):
    shared = list(net.trunk.parameters())
    ga = torch.autograd.grad(loss_a, shared, retain_graph=True)
    gb = torch.autograd.grad(loss_b, shared, retain_graph=True)
    loss_a.backward(retain_graph=True)
    loss_b.backward()
    for p, g, h in zip(shared, project(ga, gb), project(gb, ga)):
        p.grad = g + h


def main():
    net = Shared()
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    history = []
    for _ in range(3):
        x = torch.randn(8, 6)
        pa, pb = net(x)
        la, lb = (pa - x.sum(1, True)).pow(2).mean(), (pb + x.sum(1, True)).pow(2).mean()
        opt.zero_grad()
        surgery(net, la, lb)
        opt.step()
        history.append((la.item(), lb.item()))
    return history


if __name__ == "__main__":
    print(main())
