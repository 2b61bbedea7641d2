import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Queue:
    """Negatives for contrastive learning, kept on the device; the pointer lives on the host."""

    def __init__(self, size, dim, device):
        self.keys = F.normalize(torch.randn(size, dim, device=device), dim=1)
        self.ptr = 0

    def push(self, k):
        n = k.size(0)
        where = (torch.arange(n) + self.ptr) % self.keys.size(0)
        self.keys[where] = k
        self.ptr = (self.ptr + n) % self.keys.size(0)

    def negatives(self, n):
        return self.keys[torch.randperm(self.keys.size(0))[:n]]


class Contrast(nn.Module):
    def __init__(self, dim=16, out=8):
        super().__init__()
        self.net = nn.Linear(dim, out)
        self.logit_scale = nn.Parameter(torch.tensor(2.6))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


tau = torch.tensor(0.2)
margin = torch.tensor(1e-3)
model = Contrast().to(device)
queue = Queue(64, 8, device)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
history = torch.zeros(4)
for it in range(4):
    x = torch.randn(12, 16, device=device)
    q, k = model(x), model(x + 0.1 * torch.randn_like(x)).detach()
    pos = (q * k).sum(1, keepdim=True)
    neg = q @ queue.negatives(32).T
    logits = torch.cat([pos - margin, neg], dim=1) / tau * model.logit_scale.exp() / 10
    loss = F.cross_entropy(logits, torch.zeros(12, dtype=torch.long, device=device))
    opt.zero_grad()
    loss.backward()
    opt.step()
    queue.push(k)
    history[it] = loss.detach()
print(history.mean().item(), queue.ptr)
