import argparse

import torch
from torch import nn


def mlp(width, depth):
    layers, last = [], 1
    for _ in range(depth):
        layers += [nn.Linear(last, width), nn.Tanh()]
        last = width
    return nn.Sequential(*layers, nn.Linear(last, 1))


def derivative(y, x):
    return torch.autograd.grad(y, x, grad_outputs=torch.ones_like(y), create_graph=True)[0]


class DampedSpring:
    """u'' + c u' + k u = 0, u(0) = 1, u'(0) = 0"""

    def __init__(self, c=0.3, k=2.0, horizon=10):
        self.c, self.k, self.horizon = c, k, horizon

    def collocation(self, device):
        t = torch.arange(0, self.horizon, device=device).unsqueeze(1)
        return t.requires_grad_(True)

    def loss(self, net, t):
        u = net(t)
        u_t = derivative(u, t)
        u_tt = derivative(u_t, t)
        ode = (u_tt + self.c * u_t + self.k * u).pow(2).mean()
        return ode + 10 * (u[0] - 1).pow(2).mean() + u_t[0].pow(2).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=24)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()

    problem = DampedSpring()
    net = mlp(args.width, args.depth).to(args.device)
    t = problem.collocation(args.device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(args.steps):
        opt.zero_grad()
        loss = problem.loss(net, t)
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
