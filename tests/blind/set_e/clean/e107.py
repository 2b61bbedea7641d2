"""MoCo: momentum encoder and a queue of keys."""
import torch
from torch import nn
from torch.nn import functional as F


class MoCo(nn.Module):
    def __init__(self, make, dim=4, size=16, m=0.99, t=0.2):
        super().__init__()
        self.m, self.t, self.size = m, t, size
        self.encoder_q, self.encoder_k = make(), make()
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.data.copy_(q.data)
            k.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.mul_(self.m).add_(q, alpha=1 - self.m)

    @torch.no_grad()
    def _enqueue(self, keys):
        p = int(self.ptr)
        self.queue[:, p : p + len(keys)] = keys.t()
        self.ptr[0] = (p + len(keys)) % self.size

    def forward(self, a, b):
        q = F.normalize(self.encoder_q(a), dim=1)
        with torch.no_grad():
            self._momentum()
            k = F.normalize(self.encoder_k(b), dim=1)
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.clone().detach()
        logits = torch.cat([pos, neg], 1) / self.t
        loss = F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long, device=q.device))
        self._enqueue(k)
        return loss


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MoCo(lambda: nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))).to(device)
    optimizer = torch.optim.SGD(model.encoder_q.parameters(), lr=0.1)
    for _ in range(3):
        x = torch.randn(4, 6, device=device)
        loss = model(x + 0.1 * torch.randn_like(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
