import copy
import torch
from torch import nn
import torch.nn.functional as F


class MoCo(nn.Module):
    def __init__(self, encoder, dim, size=64, m=0.99, t=0.1):
        super().__init__()
        self.m, self.t, self.size = m, t, size
        self.query = encoder
        self.key = copy.deepcopy(encoder)
        for p in self.key.parameters():
            p.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(size, dim), dim=1))
        self.ptr = 0

    @torch.no_grad()
    def _momentum(self):
        for k, q in zip(self.key.parameters(), self.query.parameters()):
            k.mul_(self.m).add_(q, alpha=1 - self.m)

    @torch.no_grad()
    def _enqueue(self, keys):
        n = keys.size(0)
        self.queue[self.ptr:self.ptr + n] = keys
        self.ptr = (self.ptr + n) % self.size

    def forward(self, a, b):
        q = F.normalize(self.query(a), dim=1)
        with torch.no_grad():
            self._momentum()
            k = F.normalize(self.key(b), dim=1)
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.clone().t()
        logits = torch.cat([pos, neg], 1) / self.t
        target = torch.zeros(len(q), dtype=torch.long, device=q.device)
        loss = F.cross_entropy(logits, target)
        self._enqueue(k)
        hit = (logits.argmax(1) == 0).float().mean()
        return loss, hit


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    moco = MoCo(nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 8)), 8).to(device)
    opt = torch.optim.SGD(moco.query.parameters(), lr=0.05, momentum=0.9)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=6)
    for _ in range(6):
        x = torch.randn(16, 20, device=device)
        loss, hit = moco(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(f"{loss.item():.3f} {hit.item():.2f}")


main()
