import torch
import torch.nn as nn
import torch.nn.functional as F


class Diffusion:
    def __init__(self, steps=20, device="cpu", seed=0):
        self.device = torch.device(device)
        betas = torch.linspace(1e-4, 0.05, steps, device=self.device)
        self.steps = steps
        self.alpha_bar = torch.cumprod(1 - betas, 0)
        self.betas = betas
        self.rng = torch.Generator().manual_seed(seed)

    def noise(self, shape):
        return torch.randn(shape, generator=self.rng, device=self.device)

    def q_sample(self, x0, t):
        eps = self.noise(x0.shape)
        ab = self.alpha_bar[t].unsqueeze(1)
        return ab.sqrt() * x0 + (1 - ab).sqrt() * eps, eps

    @torch.no_grad()
    def sample(self, model, n, dim):
        x = self.noise((n, dim))
        for t in reversed(range(self.steps)):
            eps = model(x, torch.full((n,), t, device=self.device))
            x = (x - self.betas[t] / (1 - self.alpha_bar[t]).sqrt() * eps) / (1 - self.betas[t]).sqrt()
            if t > 0:
                x = x + self.betas[t].sqrt() * self.noise(x.shape)
        return x


class Denoiser(nn.Module):
    def __init__(self, dim=2, width=32, steps=20):
        super().__init__()
        self.time = nn.Embedding(steps, width)
        self.inp = nn.Linear(dim, width)
        self.out = nn.Sequential(nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, dim))

    def forward(self, x, t):
        return self.out(self.inp(x) + self.time(t))


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    diffusion = Diffusion(device=device)
    model = Denoiser().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(10):
        x0 = torch.randn(64, 2, device=device) * 0.1 + 1
        t = torch.randint(0, diffusion.steps, (64,), device=device)
        xt, eps = diffusion.q_sample(x0, t)
        loss = F.mse_loss(model(xt, t), eps)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item(), diffusion.sample(model, 4, 2).mean().item())


if __name__ == "__main__":
    main()
