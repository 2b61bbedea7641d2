import copy

import torch


class Momentum:
    """Slow copy of a network with a momentum that climbs to one."""

    def __init__(self, online, base=0.99, total=10):
        self.net = copy.deepcopy(online).requires_grad_(False)
        self.base, self.total, self.k = base, total, 0

    @property
    def tau(self):
        return 1 - (1 - self.base) * (1 - self.k / self.total)

    @torch.no_grad()
    def step(self, online):
        self.k += 1
        for slow, fast in zip(self.net.parameters(), online.parameters()):
            slow.lerp_(fast, 1 - self.tau)
        for slow, fast in zip(self.net.buffers(), online.buffers()):
            slow.copy_(fast)

    @torch.no_grad()
    def __call__(self, x):
        return self.net(x)
