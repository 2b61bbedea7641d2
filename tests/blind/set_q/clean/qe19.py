import math

import torch
import torch.nn as nn


class CNF(nn.Module):
    def __init__(self, d=2, width=32, steps=8):
        super().__init__()
        self.steps = steps
        self.net = nn.Sequential(nn.Linear(d + 1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, d))

    def velocity(self, t, z):
        return self.net(torch.cat([z, torch.full_like(z[:, :1], t)], 1))

    def divergence(self, t, z, e):
        with torch.enable_grad():
            if not z.requires_grad:
                z = z.detach().requires_grad_(True)
            dz = self.velocity(t, z)
            vjp, = torch.autograd.grad(dz, z, e, create_graph=self.training)
        return dz, (vjp * e).sum(1)

    def log_prob(self, x):
        z, logdet = x, x.new_zeros(len(x))
        e = torch.randn_like(x)
        dt = 1.0 / self.steps
        for i in range(self.steps):
            dz, div = self.divergence(1 - i * dt, z, e)
            z = z - dt * dz
            logdet = logdet - dt * div
        base = -0.5 * (z.square() + math.log(2 * math.pi)).sum(1)
        return base + logdet

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, 2, device=self.net[0].weight.device)
        for i in range(self.steps):
            z = z + self.velocity(i / self.steps, z) / self.steps
        return z


class FlowMatching:
    def __init__(self, model):
        self.model = model

    def loss(self, x1):
        x0 = torch.randn_like(x1)
        t = torch.rand(len(x1), 1, device=x1.device)
        xt = (1 - t) * x0 + t * x1
        return (self.model.net(torch.cat([xt, t], 1)) - (x1 - x0)).square().mean()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = torch.randn(256, 2) * torch.tensor([1.0, 0.4]) + 1
    cnf = CNF().to(device)
    opt = torch.optim.Adam(cnf.parameters(), lr=3e-3)
    fm = FlowMatching(cnf)
    for it in range(14):
        x = data[torch.randint(len(data), (64,))].to(device)
        loss = fm.loss(x) if it < 10 else -cnf.log_prob(x).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    cnf.eval()
    with torch.no_grad():
        nll = -cnf.log_prob(data[:50].to(device)).mean()
    print(loss.item(), nll.item(), cnf.sample(20).mean(0).cpu().numpy())


main()
