import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from solvers import cg, flat

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class IMAML:
    """Meta gradient from the stationarity of the regularised inner problem, no unrolling."""

    def __init__(self, net, lam=2.0, inner_steps=8, inner_lr=0.05):
        self.net, self.lam, self.inner_steps, self.inner_lr = net, lam, inner_steps, inner_lr
        self.opt = torch.optim.Adam(net.parameters(), lr=5e-3)

    def adapt(self, x, y):
        task = copy.deepcopy(self.net)
        anchor = [p.detach() for p in self.net.parameters()]
        opt = torch.optim.SGD(task.parameters(), lr=self.inner_lr)
        for _ in range(self.inner_steps):
            prox = sum((p - a).square().sum() for p, a in zip(task.parameters(), anchor))
            loss = F.mse_loss(task(x), y) + 0.5 * self.lam * prox
            opt.zero_grad()
            loss.backward()
            opt.step()
        return task

    def meta_grad(self, task, support, query):
        params = list(task.parameters())
        q_loss = F.mse_loss(task(query[0]), query[1])
        v = flat(torch.autograd.grad(q_loss, params))
        g = flat(torch.autograd.grad(F.mse_loss(task(support[0]), support[1]), params, create_graph=True))

        def matvec(p):
            hv = flat(torch.autograd.grad(g @ p, params, retain_graph=True))
            return p + hv / self.lam

        return cg(matvec, v, iters=5), q_loss.detach()

    def step(self, tasks):
        total, losses = 0.0, []
        for support, query in tasks:
            task = self.adapt(*support)
            g, l = self.meta_grad(task, support, query)
            total = total + g / len(tasks)
            losses.append(l)
        for p, piece in zip(self.net.parameters(), total.split([p.numel() for p in self.net.parameters()])):
            p.grad = piece.view_as(p)
        self.opt.step()
        self.opt.zero_grad()
        return torch.stack(losses).mean()


def tasks(n):
    out = []
    for _ in range(n):
        amp, ph = (torch.rand(2) * 3 + 0.1).tolist()
        x = (torch.rand(20, 1) * 10 - 5).to(device)
        y = amp * torch.sin(x + ph)
        out.append(((x[:10], y[:10]), (x[10:], y[10:])))
    return out


if __name__ == "__main__":
    net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 1)).to(device)
    algo = IMAML(net)
    for it in range(4):
        loss = algo.step(tasks(3))
    print(loss.item())
