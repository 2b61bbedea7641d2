from contextlib import contextmanager

import torch


@contextmanager
def weights_fixed(model):
    flags = [(p, p.requires_grad) for p in model.parameters()]
    model.requires_grad_(False)
    try:
        yield
    finally:
        for p, flag in flags:
            p.requires_grad_(flag)


class Sampler:
    """Short-run Langevin dynamics from a persistent pool of samples on the host."""

    def __init__(self, model, dim=2, pool=64, steps=5, step_size=0.1, noise=0.05):
        self.model, self.steps = model, steps
        self.step_size, self.noise = step_size, noise
        self.pool = torch.rand(pool, dim) * 4 - 2

    def _chain(self, x):
        for _ in range(self.steps):
            x.requires_grad_(True)
            g, = torch.autograd.grad(self.model(x).sum(), x)
            x = x.detach() - self.step_size * g + self.noise * torch.randn_like(x)
        return x

    def draw(self, n, device):
        idx = torch.randperm(len(self.pool))[:n]
        start = self.pool[idx].to(device, copy=True)
        restart = torch.rand(n, 1, device=device) < 0.05
        start = torch.where(restart, torch.rand_like(start) * 4 - 2, start)
        with weights_fixed(self.model):
            x = self._chain(start)
        self.pool[idx] = x.cpu()
        return x
