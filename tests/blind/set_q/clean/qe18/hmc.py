import math

import torch


class HMC:
    def __init__(self, target, step, leaps):
        self.target, self.step, self.leaps = target, step, leaps
        self.accepted = self.proposed = 0

    @property
    def accept_rate(self):
        return self.accepted / max(self.proposed, 1)

    def grad(self, q):
        q = q.detach().requires_grad_(True)
        u = self.target(q)
        return torch.autograd.grad(u.sum(), q)[0], u.detach()

    def propose(self, q):
        p = torch.randn_like(q)
        g, u0 = self.grad(q)
        h0 = u0 + 0.5 * p.square().sum(-1)
        new = q
        p = p - 0.5 * self.step * g
        for i in range(self.leaps):
            new = new + self.step * p
            g, u = self.grad(new)
            p = p - (self.step if i < self.leaps - 1 else 0.5 * self.step) * g
        h1 = u + 0.5 * p.square().sum(-1)
        keep = torch.rand_like(h0).log() < h0 - h1
        return torch.where(keep.unsqueeze(-1), new, q), keep

    def run(self, q, n, warmup):
        out = []
        for it in range(n + warmup):
            q, keep = self.propose(q)
            if it < warmup:
                self.step *= math.exp(0.1 * (keep.float().mean().item() - 0.8))
            else:
                self.accepted += int(keep.sum())
                self.proposed += keep.numel()
                out.append(q)
        return torch.stack(out)
