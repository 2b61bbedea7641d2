import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, d=2, h=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d + 1, h), nn.SiLU(), nn.Linear(h, d))

    def forward(self, x, t):
        return self.net(torch.cat([x, t.float().view(-1, 1) / 20], 1))


class DDPM(nn.Module):
    def __init__(self, steps=20):
        super().__init__()
        beta = torch.linspace(1e-4, 0.2, steps)
        self.steps = steps
        self.eps = Denoiser()
        self.register_buffer("beta", beta)
        self.register_buffer("abar", torch.cumprod(1 - beta, 0))

    @property
    def device(self):
        return self.beta.device

    def loss(self, x0):
        t = torch.randint(0, self.steps, (len(x0),), device=self.device)
        a = self.abar[t].unsqueeze(1)
        noise = torch.randn_like(x0)
        return (self.eps(a.sqrt() * x0 + (1 - a).sqrt() * noise, t) - noise).pow(2).mean()

    @torch.no_grad()
    def sample(self, n, seed=0):
        g = torch.Generator().manual_seed(seed)
        x = torch.randn(n, 2, generator=g, device=self.device)
        for i in reversed(range(self.steps)):
            t = torch.full((n,), i, device=self.device)
            e = self.eps(x, t)
            x = (x - self.beta[i] / (1 - self.abar[i]).sqrt() * e) / (1 - self.beta[i]).sqrt()
            if i:
                x = x + self.beta[i].sqrt() * torch.randn(n, 2, generator=g, device=self.device)
        return x


device = "cuda" if torch.cuda.is_available() else "cpu"
ddpm = DDPM().to(device)
opt = torch.optim.AdamW(ddpm.parameters(), lr=1e-3)
for _ in range(3):
    loss = ddpm.loss(torch.randn(16, 2, device=device))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(ddpm.sample(4).mean().item())
