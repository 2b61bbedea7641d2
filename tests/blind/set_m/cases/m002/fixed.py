import torch
from torch import nn


def pick_device():
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def cosine_betas(n, s=0.008):
    t = torch.linspace(0, n, n + 1, dtype=torch.float32)
    alphas = torch.cos((t / n + s) / (1 + s) * torch.pi * 0.5) ** 2
    alphas = alphas / alphas[0]
    return torch.clip(1 - alphas[1:] / alphas[:-1], 0, 0.999)


class Denoiser(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, dim), nn.SiLU(), nn.Linear(dim, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, t[:, None]], dim=1))


device = pick_device()
T = 100
betas = cosine_betas(T).to(device)
alpha_bar = torch.cumprod(1.0 - betas, dim=0)
model = Denoiser().to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)

for step in range(5):
    x0 = torch.randn(64, 2, device=device)
    t = torch.randint(0, T, (64,), device=device)
    noise = torch.randn_like(x0)
    a = alpha_bar[t].float()[:, None]
    xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
    loss = (model(xt, t / T) - noise).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
