import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR


class BetaScheduler:
    """Anneals the weight of the KL term; has nothing to do with the learning rate."""

    def __init__(self, top, steps):
        self.top, self.steps, self.now = top, steps, 0

    def step(self):
        self.now += 1
        return self.beta

    @property
    def beta(self):
        return self.top * min(1.0, self.now / self.steps)


class Vae(nn.Module):
    def __init__(self, d=8, z=2):
        super().__init__()
        self.enc, self.dec = nn.Linear(d, 2 * z), nn.Linear(z, d)

    def forward(self, x):
        mu, lv = self.enc(x).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
        kl = 0.5 * (mu**2 + lv.exp() - 1 - lv).sum(-1).mean()
        return self.dec(z), kl


vae = Vae()
optimizer = torch.optim.Adam(vae.parameters(), lr=1e-2)
scheduler = BetaScheduler(0.5, 6)
lr_sched = CosineAnnealingLR(optimizer, T_max=4)

for epoch in range(4):
    if epoch > 0:
        lr_sched.step()
    total = 0.0
    for _ in range(3):
        beta = scheduler.step()
        x = torch.randn(16, 8)
        rec, kl = vae(x)
        loss = (rec - x).pow(2).sum(-1).mean() + beta * kl
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(epoch, total, beta, optimizer.param_groups[0]["lr"])
