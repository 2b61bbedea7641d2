import torch
import torch.nn as nn
import torch.nn.functional as F


class MemoryBank(nn.Module):
    def __init__(self, n, dim, momentum=0.5):
        super().__init__()
        self.register_buffer("bank", F.normalize(torch.randn(n, dim), dim=1))
        self.momentum = momentum
        self.seen = torch.zeros(n, dtype=torch.bool)

    @torch.no_grad()
    def update(self, idx, z):
        mixed = self.momentum * self.bank[idx] + (1 - self.momentum) * z
        self.bank[idx] = F.normalize(mixed, dim=1)
        self.seen[idx] = True

    def coverage(self):
        return self.seen.float().mean().item()

    def forward(self, z, temperature=0.1):
        return z @ self.bank.t() / temperature
