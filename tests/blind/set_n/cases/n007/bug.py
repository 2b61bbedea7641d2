import torch
from torch import nn


class Scaled(nn.Module):
    """Network on the box [lo, hi]: inputs are brought to [-1, 1] first."""

    def __init__(self, lo, hi, width=20, depth=2):
        super().__init__()
        lo, hi = torch.as_tensor(lo), torch.as_tensor(hi)
        self.center = (lo + hi) / 2
        self.span = (hi - lo) / 2
        dims = [len(lo)] + [width] * depth
        layers = []
        for a, b in zip(dims, dims[1:]):
            layers += [nn.Linear(a, b), nn.Tanh()]
        self.body = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, xt):
        return self.body((xt - self.center) / self.span)


def residual(net, xt, nu=0.01):
    xt.requires_grad_(True)
    u = net(xt)
    du, = torch.autograd.grad(u.sum(), xt, create_graph=True)
    ux, ut = du[:, :1], du[:, 1:]
    uxx = torch.autograd.grad(ux.sum(), xt, create_graph=True)[0][:, :1]
    return ut + u * ux - nu * uxx


class BurgersTrainer:
    def __init__(self, net, lr=1e-3, device=None):
        self.device = device or torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = net.to(self.device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)

    def sample(self, n):
        xt = torch.rand(n, 2, device=self.device)
        xt[:, 0] = 2 * xt[:, 0] - 1
        return xt

    def run(self, steps):
        for _ in range(steps):
            xt = self.sample(32)
            ic = xt.clone()
            ic[:, 1] = 0
            self.opt.zero_grad()
            loss = residual(self.net, xt).pow(2).mean()
            loss = loss + (self.net(ic) + torch.sin(torch.pi * ic[:, :1])).pow(2).mean()
            loss.backward()
            self.opt.step()


BurgersTrainer(Scaled([-1.0, 0.0], [1.0, 1.0])).run(3)
