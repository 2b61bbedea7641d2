import math

import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
LOG_2PI = torch.tensor(math.log(2 * math.pi))


class MDN(nn.Module):
    def __init__(self, k=3, hidden=24):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, hidden), nn.Tanh())
        self.pi, self.mu, self.log_sigma = (nn.Linear(hidden, k) for _ in range(3))

    def forward(self, x):
        h = self.body(x)
        return F.log_softmax(self.pi(h), 1), self.mu(h), self.log_sigma(h).clamp(-4, 4)


def nll(out, y):
    log_pi, mu, log_sigma = out
    z = (y - mu) / log_sigma.exp()
    log_prob = -0.5 * (z**2 + LOG_2PI) - log_sigma
    return -torch.logsumexp(log_pi + log_prob, 1).mean()


def annealed(losses):
    total = torch.tensor(0.0)
    for i, value in enumerate(losses):
        total = total + value / (i + 1)
    return total


model = MDN().to(device)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(4):
    y = torch.rand(64, 1, device=device) * 2 - 1
    x = y + 0.3 * torch.sin(2 * torch.pi * y)
    first, second = model(x), model(x + 0.01 * torch.randn_like(x))
    loss = annealed([nll(first, y), nll(second, y)])
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
