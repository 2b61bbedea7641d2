import torch
import torch.nn as nn
import torch.nn.functional as F


class Denoiser(nn.Module):
    def __init__(self, dim=16, steps=50):
        super().__init__()
        self.time = nn.Embedding(steps, dim)
        self.net = nn.Sequential(nn.Linear(2 * dim, 64), nn.SiLU(), nn.Linear(64, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], dim=-1))


class GaussianDiffusion(nn.Module):
    def __init__(self, model, steps=50):
        super().__init__()
        self.model = model
        self.steps = steps
        betas = torch.linspace(1e-4, 0.02, steps)
        alphas = 1.0 - betas
        self.alphas_cumprod = torch.cumprod(alphas, dim=0)

    def q_sample(self, x0, t, noise):
        abar = self.alphas_cumprod[t].unsqueeze(-1)
        return abar.sqrt() * x0 + (1 - abar).sqrt() * noise

    def forward(self, x0):
        t = torch.randint(0, self.steps, (x0.shape[0],), device=x0.device)
        noise = torch.randn_like(x0)
        x_t = self.q_sample(x0, t, noise)
        return F.mse_loss(self.model(x_t, t), noise)


device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
diffusion = GaussianDiffusion(Denoiser()).to(device)
opt = torch.optim.Adam(diffusion.parameters(), lr=1e-3)

data = torch.randn(256, 16)
for step in range(10):
    idx = torch.randint(0, len(data), (32,))
    x0 = data[idx].to(device)
    loss = diffusion(x0)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 0:
        print(step, loss.item())
