import math

import torch
import torch.nn.functional as F

from field.mlp import Radiance
from field.rays import RayBundle
from field.render import render


def scene(n=128):
    direction = F.normalize(torch.randn(n, 3), dim=-1)
    return RayBundle(torch.zeros(n, 3), direction, (direction + 1) / 2)


@torch.no_grad()
def psnr(model, rays):
    rgb, _ = render(model, rays)
    return -10 * math.log10(F.mse_loss(rgb, rays.rgb).item())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model, rays = Radiance(), scene()
model.to(device)
rays.to(device)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for it in range(4):
    batch = rays[torch.randint(0, len(rays), (32,))]
    rgb, opacity = render(model, batch)
    loss = F.mse_loss(rgb, batch.rgb) + 1e-3 * (1 - opacity).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print("psnr", round(psnr(model, rays), 2))
