import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class GaussianDiffusion(nn.Module):
    def __init__(self, net, steps=40):
        super().__init__()
        self.net = net
        self.steps = steps
        betas = torch.linspace(1e-4, 0.1, steps)
        alpha_bar = torch.cumprod(1.0 - betas, 0)
        self.register_buffer("betas", betas)
        self.register_buffer("sqrt_ab", alpha_bar.sqrt())
        self.register_buffer("sqrt_1mab", (1 - alpha_bar).sqrt())
        self.register_buffer("posterior_var", betas * (1 - F.pad(alpha_bar[:-1], (1, 0), value=1.0)) / (1 - alpha_bar))

    @property
    def device(self):
        return self.betas.device

    def loss(self, x0):
        t = torch.randint(0, self.steps, (x0.shape[0],), device=x0.device)
        noise = torch.randn_like(x0)
        xt = self.sqrt_ab[t, None] * x0 + self.sqrt_1mab[t, None] * noise
        return F.mse_loss(self.net(xt, t), noise)

    @torch.no_grad()
    def sample(self, n, dim):
        x = torch.randn(n, dim, device=self.device)
        for i in reversed(range(self.steps)):
            t = torch.full((n,), i, device=self.device, dtype=torch.long)
            eps = self.net(x, t)
            mean = (x - self.betas[i] / self.sqrt_1mab[i] * eps) / (1 - self.betas[i]).sqrt()
            x = mean + self.posterior_var[i].sqrt() * torch.randn_like(x) if i > 0 else mean
        return x


class Denoiser(nn.Module):
    def __init__(self, dim, width=64):
        super().__init__()
        self.width = width
        self.inp = nn.Linear(dim, width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, dim)

    def embed(self, t):
        half = self.width // 2
        freqs = torch.exp(-math.log(1e4) * torch.arange(half, device=t.device) / half)
        ang = t[:, None].float() * freqs
        return torch.cat([ang.sin(), ang.cos()], -1)

    def forward(self, x, t):
        h = F.silu(self.inp(x) + self.embed(t))
        return self.out(F.silu(self.mid(h)) + h)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = GaussianDiffusion(Denoiser(2)).to(device)
    optimizer = torch.optim.AdamW(model.net.parameters(), lr=2e-3)
    data = torch.randn(256, 2) * 0.2 + torch.tensor([1.0, -1.0])
    for epoch in range(3):
        for xb in data[torch.randperm(len(data))].split(64):
            optimizer.zero_grad()
            model.loss(xb.to(device)).backward()
            optimizer.step()
    model.eval()
    print(model.sample(16, 2).mean(0).tolist())


if __name__ == "__main__":
    main()
