import torch
from torch import nn


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 16), nn.Tanh())
        self.a, self.b = nn.Linear(16, 1), nn.Linear(16, 3)

    def forward(self, x):
        h = self.trunk(x)
        return self.a(h), self.b(h)


def balance(losses, shared):
    """GradNorm-like weights from the gradient of each loss at the last shared layer."""
    norms = []
    for loss in losses:
        (g,) = torch.autograd.grad(loss, shared, retain_graph=True)
        norms.append(g.norm())
    norms = torch.stack(norms)
    return (norms.mean() / norms.clamp(min=1e-6)).tolist()


def project(net, losses):
    """PCGrad for two tasks: the first walk keeps the graph, the second may free it."""
    params = list(net.trunk.parameters())
    ga = torch.autograd.grad(losses[0], params, retain_graph=True)
    gb = torch.autograd.grad(losses[1], params)
    dot = sum((p * q).sum() for p, q in zip(ga, gb))
    if dot < 0:
        norm = sum((q * q).sum() for q in gb)
        ga = [p - dot / norm * q for p, q in zip(ga, gb)]
    for w, p, q in zip(params, ga, gb):
        w.grad = p + q


net = Shared()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.randn(16, 8)
ya, yb = torch.randn(16, 1), torch.randint(0, 3, (16,))


def losses():
    pa, pb = net(x)
    return [nn.functional.mse_loss(pa, ya), nn.functional.cross_entropy(pb, yb)]


for _ in range(3):
    both = losses()
    wa, wb = balance(both, net.trunk[0].weight)
    opt.zero_grad()
    (wa * both[0] + wb * both[1]).backward()
    opt.step()

    opt.zero_grad()
    project(net, losses())
    opt.step()
print(wa, wb)
