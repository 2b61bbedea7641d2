import math

import torch
import torch.nn as nn


class TimeMLP(nn.Module):
    def __init__(self, dim, hidden=64):
        super().__init__()
        self.inp = nn.Linear(dim + 2, hidden)
        self.mid = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, dim)

    def forward(self, x, t):
        phase = t[:, None] * 2 * math.pi
        h = torch.cat([x, phase.sin(), phase.cos()], dim=1)
        h = torch.relu(self.inp(h))
        return self.out(torch.relu(self.mid(h)))


class DDIMSampler:
    def __init__(self, model, n_steps, device, seed=None):
        self.model = model
        self.device = device
        betas = torch.linspace(1e-4, 0.02, n_steps, device=device)
        self.abar = torch.cumprod(1.0 - betas, dim=0)
        self.n_steps = n_steps
        self.rng = torch.Generator()
        if seed is not None:
            self.rng.manual_seed(seed)

    def _noise(self, *shape):
        return torch.randn(*shape, device=self.device, generator=self.rng)

    @torch.no_grad()
    def sample(self, n, dim, eta=0.3):
        x = self._noise(n, dim)
        for i in reversed(range(1, self.n_steps)):
            a, a_prev = self.abar[i], self.abar[i - 1]
            t = torch.full((n,), i / self.n_steps, device=self.device)
            eps = self.model(x, t)
            x0 = (x - (1 - a).sqrt() * eps) / a.sqrt()
            sigma = eta * ((1 - a_prev) / (1 - a) * (1 - a / a_prev)).sqrt()
            x = a_prev.sqrt() * x0 + (1 - a_prev - sigma ** 2).sqrt() * eps
            if i > 1:
                x = x + sigma * self._noise(n, dim)
        return x


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TimeMLP(2).to(device).eval()
    sampler = DDIMSampler(model, n_steps=20, device=device, seed=42)
    points = sampler.sample(16, 2)
    print(points.mean(dim=0).tolist(), points.std(dim=0).tolist())


if __name__ == "__main__":
    main()
