import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class MoCo(nn.Module):
    def __init__(self, encoder, dim=8, size=64, m=0.95, t=0.2):
        super().__init__()
        self.m, self.t = m, t
        self.q = encoder
        self.k = copy.deepcopy(encoder)
        for p in self.k.parameters():
            p.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(size, dim), dim=1))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def momentum_update(self):
        for pk, pq in zip(self.k.parameters(), self.q.parameters()):
            pk.lerp_(pq, 1 - self.m)

    @torch.no_grad()
    def enqueue(self, keys):
        start = int(self.ptr)
        self.queue[start:start + len(keys)] = keys
        self.ptr[0] = (start + len(keys)) % len(self.queue)

    def forward(self, xq, xk):
        q = F.normalize(self.q(xq), dim=1)
        with torch.no_grad():
            self.momentum_update()
            k = F.normalize(self.k(xk), dim=1)
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.clone().t()
        logits = torch.cat([pos, neg], 1) / self.t
        self.enqueue(k)
        return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long, device=q.device))


class RunningMean:
    def __init__(self, beta=0.9):
        self.beta, self.value = beta, None

    def __call__(self, x):
        self.value = x if self.value is None else self.beta * self.value + (1 - self.beta) * x
        return self.value


def view(x):
    return x + 0.1 * torch.randn_like(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = MoCo(nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))).to(device)
opt = torch.optim.SGD(model.q.parameters(), lr=0.05, momentum=0.9)
smooth = RunningMean()
for step in range(8):
    x = torch.randn(16, 12, device=device)
    loss = model(view(x), view(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, smooth(loss.detach()).item())
