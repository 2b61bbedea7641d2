import torch
import torch.nn as nn
import torch.nn.functional as F


class Denoiser(nn.Module):
    def __init__(self, dim=12, steps=20):
        super().__init__()
        self.time = nn.Embedding(steps, 16)
        self.inp = nn.Linear(dim, 32)
        self.cond = nn.Linear(16, 32)
        self.out = nn.Linear(32, dim)

    def forward(self, x, t):
        return self.out(F.silu(self.inp(x) + self.cond(self.time(t))))


class Diffusion:
    def __init__(self, steps, device):
        betas = torch.linspace(1e-4, 0.1, steps, device=device)
        self.alpha_bar = torch.cumprod(1 - betas, dim=0)
        self.steps = steps

    def noisy(self, x, t):
        a = self.alpha_bar[t][:, None]
        noise = torch.randn_like(x)
        return a.sqrt() * x + (1 - a).sqrt() * noise, noise


def train(device, iterations=6):
    model = Denoiser().to(device)
    process = Diffusion(20, device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler(device.type)
    for it in range(iterations):
        x = torch.randn(24, 12, device=device).sign()
        t = torch.randint(process.steps, (24,), device=device)
        xt, noise = process.noisy(x, t)
        with torch.autocast(device.type):
            loss = F.mse_loss(model(xt, t).float(), noise)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        optimizer.zero_grad()
        print(f"iteration {it} loss {loss.item():.4f}")
    return model


if __name__ == "__main__":
    train(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
