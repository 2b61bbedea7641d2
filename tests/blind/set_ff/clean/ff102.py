import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, inp=24, dim=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inp, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


class MoCo(nn.Module):
    def __init__(self, dim=16, size=64, momentum=0.99, tau=0.1):
        super().__init__()
        self.query = Encoder(dim=dim)
        self.key = copy.deepcopy(self.query)
        for p in self.key.parameters():
            p.requires_grad = False
        self.momentum, self.tau, self.size = momentum, tau, size
        self.register_buffer("queue", F.normalize(torch.randn(size, dim), dim=1))
        self.register_buffer("cursor", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def _follow(self):
        for slow, fast in zip(self.key.parameters(), self.query.parameters()):
            slow.lerp_(fast, 1 - self.momentum)

    @torch.no_grad()
    def _enqueue(self, keys):
        slots = (self.cursor + torch.arange(len(keys), device=keys.device)) % self.size
        self.queue[slots] = keys
        self.cursor.copy_((self.cursor + len(keys)) % self.size)

    def forward(self, a, b):
        q = self.query(a)
        with torch.no_grad():
            self._follow()
            k = self.key(b)
        positive = (q * k).sum(1, keepdim=True)
        negative = q @ self.queue.clone().t()
        logits = torch.cat([positive, negative], 1) / self.tau
        target = torch.zeros(len(q), dtype=torch.long, device=q.device)
        self._enqueue(k)
        return F.cross_entropy(logits, target)


def views(x):
    jitter = lambda: x + 0.1 * torch.randn_like(x)
    return jitter(), jitter()


def pretrain(steps=4):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = MoCo()
    model.to(device)
    optimizer = torch.optim.SGD(model.query.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    losses = []
    for _ in range(steps):
        a, b = views(torch.randn(16, 24).to(device))
        loss = model(a, b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses).mean().item()


if __name__ == "__main__":
    print(pretrain())
