import torch


class Queue:
    """MoCo-like ring of keys; lives where the model lives, filled by slices."""

    def __init__(self, size, dim, device):
        keys = torch.nn.functional.normalize(torch.randn(size, dim), dim=1)
        self.keys = torch.empty(size, dim, device=device)
        self.keys.copy_(keys)
        self.at = 0

    @torch.no_grad()
    def push(self, keys):
        n = len(keys)
        self.keys[self.at:self.at + n] = keys
        self.at = (self.at + n) % len(self.keys)

    def pick(self, n):
        rows = torch.randperm(len(self.keys))[:n]
        return self.keys[rows]


def update_average(target, source, decay):
    with torch.no_grad():
        for t, s in zip(target.parameters(), source.parameters()):
            t.lerp_(s, 1 - decay)
