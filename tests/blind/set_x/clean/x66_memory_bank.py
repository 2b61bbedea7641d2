"""MoCo-like queue of negatives."""
import copy

import torch
from torch import nn
import torch.nn.functional as F


class NegativeQueue(nn.Module):
    def __init__(self, size: int, dim: int):
        super().__init__()
        self.register_buffer("rows", F.normalize(torch.randn(size, dim), dim=1))
        self.register_buffer("head", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def push(self, keys):
        n, size = keys.size(0), self.rows.size(0)
        slots = (self.head + torch.arange(n, device=keys.device)) % size
        self.rows[slots] = keys
        self.head.copy_((self.head + n) % size)

    def forward(self, q):
        return q @ self.rows.clone().detach().t()


class MoCo(nn.Module):
    def __init__(self, encoder, dim=8, queue=32, momentum=0.99, temperature=0.2):
        super().__init__()
        self.query = encoder
        self.key = copy.deepcopy(encoder).requires_grad_(False)
        self.queue = NegativeQueue(queue, dim)
        self.m, self.t = momentum, temperature

    @torch.no_grad()
    def encode_keys(self, x):
        for pk, pq in zip(self.key.parameters(), self.query.parameters()):
            pk.mul_(self.m).add_(pq, alpha=1 - self.m)
        perm = torch.randperm(x.size(0), device=x.device)
        back = torch.empty_like(perm)
        back[perm] = torch.arange(perm.numel(), device=x.device)
        return F.normalize(self.key(x[perm]), dim=1)[back]

    def forward(self, a, b):
        q = F.normalize(self.query(a), dim=1)
        k = self.encode_keys(b)
        positive = (q * k).sum(dim=1, keepdim=True)
        logits = torch.cat([positive, self.queue(q)], dim=1) / self.t
        labels = logits.new_zeros(logits.size(0), dtype=torch.long)
        self.queue.push(k)
        return F.cross_entropy(logits, labels)


def augment(x):
    return x + 0.1 * torch.randn_like(x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 8))
    model = MoCo(encoder).to(device)
    opt = torch.optim.SGD(model.query.parameters(), lr=0.03, momentum=0.9)
    for _ in range(5):
        x = torch.randn(10, 12, device=device)
        loss = model(augment(x), augment(x))
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
