import argparse

import torch
from torch import nn


class EpsModel(nn.Module):
    def __init__(self, channels=3, width=16):
        super().__init__()
        self.temb = nn.Embedding(1000, width)
        self.conv_in = nn.Conv2d(channels, width, 3, padding=1)
        self.conv_out = nn.Conv2d(width, channels, 3, padding=1)

    def forward(self, x, t):
        h = self.conv_in(x) + self.temb(t)[:, :, None, None]
        return self.conv_out(torch.nn.functional.silu(h))


def schedule(device, train_steps=1000):
    betas = torch.linspace(1e-4, 0.02, train_steps, device=device)
    return torch.cumprod(1 - betas, dim=0)


@torch.no_grad()
def ddim(model, shape, steps, generator, eta=0.5):
    device = next(model.parameters()).device
    alpha_bar = schedule(device)
    times = torch.linspace(999, 0, steps).long().tolist()
    x = torch.randn(shape, generator=generator, device=device)
    for i, t in enumerate(times):
        ab = alpha_bar[t]
        ab_prev = alpha_bar[times[i + 1]] if i + 1 < steps else torch.ones_like(ab)
        eps = model(x, torch.full((shape[0],), t, device=device))
        x0 = ((x - (1 - ab).sqrt() * eps) / ab.sqrt()).clamp(-1, 1)
        sigma = eta * ((1 - ab_prev) / (1 - ab)).sqrt() * (1 - ab / ab_prev).sqrt()
        x = ab_prev.sqrt() * x0 + (1 - ab_prev - sigma ** 2).clamp(min=0).sqrt() * eps
        if i + 1 < steps:
            x = x + sigma * torch.randn(shape, generator=generator, device=device)
    return x


parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
args = parser.parse_args()

model = EpsModel().to(args.device).eval()
rng = torch.Generator().manual_seed(args.seed)
images = ddim(model, (2, 3, 8, 8), args.steps, rng)
print(images.shape, images.std().item())
