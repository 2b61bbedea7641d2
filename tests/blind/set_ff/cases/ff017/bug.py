import copy

import torch
import torch.nn as nn


class Ema:
    def __init__(self, model, decay=0.999, warmup=10):
        self.module = copy.deepcopy(model).eval()
        self.decay = decay
        self.warmup = warmup
        self.updates = 0

    def _rate(self):
        return min(self.decay, (1 + self.updates) / (self.warmup + self.updates))

    def update(self, model):
        rate = self._rate()
        self.updates += 1
        for slow, fast in zip(self.module.parameters(), model.parameters()):
            slow.mul_(rate).add_(fast.detach(), alpha=1 - rate)
        for slow, fast in zip(self.module.buffers(), model.buffers()):
            slow.copy_(fast)

    def state_dict(self):
        return {"updates": self.updates, "module": self.module.state_dict()}


class Denoiser(nn.Module):
    def __init__(self, dim=2, hidden=32, steps=20):
        super().__init__()
        self.time = nn.Embedding(steps, hidden)
        self.inp = nn.Linear(dim, hidden)
        self.mid = nn.Sequential(nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.out = nn.Linear(hidden, dim)

    def forward(self, x, t):
        return self.out(self.mid(self.inp(x) + self.time(t)))


class Diffusion:
    def __init__(self, steps=20):
        betas = torch.linspace(1e-3, 0.2, steps)
        self.keep = torch.cumprod(1 - betas, 0)
        self.steps = steps

    def noised(self, x):
        t = torch.randint(0, self.steps, (x.size(0),))
        eps = torch.randn_like(x)
        a = self.keep[t].unsqueeze(1)
        return a.sqrt() * x + (1 - a).sqrt() * eps, t, eps


def train(iterations=4):
    torch.manual_seed(0)
    net, diffusion = Denoiser(), Diffusion()
    ema = Ema(net)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    for it in range(iterations):
        x = torch.randn(32, 2) * 0.3 + 1
        noisy, t, eps = diffusion.noised(x)
        loss = (net(noisy, t) - eps).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update(net)
        print(it, round(loss.item(), 4))
    return ema.state_dict()


if __name__ == "__main__":
    train()
