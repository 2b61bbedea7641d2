# Sparse-view tomography: recover a 2D slice from a few projections.
import math
import torch
import torch.nn.functional as F

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
size, n_angles = 24, 8


def rotate(img, angle):
    c, s = math.cos(angle), math.sin(angle)
    theta = torch.tensor([[[c, -s, 0.0], [s, c, 0.0]]], device=img.device)
    grid = F.affine_grid(theta, img.shape, align_corners=False)
    return F.grid_sample(img, grid, align_corners=False)


def project(img, angles):
    return torch.stack([rotate(img, a).sum(dim=2).squeeze() for a in angles])


def total_variation(img):
    dx = (img[..., 1:] - img[..., :-1]).abs().mean()
    dy = (img[..., 1:, :] - img[..., :-1, :]).abs().mean()
    return dx + dy


# phantom
yy, xx = torch.meshgrid(torch.linspace(-1, 1, size), torch.linspace(-1, 1, size), indexing="ij")
phantom = ((xx ** 2 + yy ** 2) < 0.6).float() - 0.5 * (((xx - 0.2) ** 2 + yy ** 2) < 0.1).float()
phantom = phantom[None, None].to(device)
angles = [math.pi * k / n_angles for k in range(n_angles)]
sinogram = project(phantom, angles)
sinogram = sinogram + 0.05 * torch.randn_like(sinogram)

# reconstruction
volume = torch.zeros(1, 1, size, size, requires_grad=True).to(device)
log_sigma = torch.zeros((), device=device, requires_grad=True)
groups = [
    {"params": [volume], "lr": 0.05},
    {"params": [log_sigma], "lr": 0.01},
]
optimizer = torch.optim.Adam(groups)
for step in range(6):
    misfit = (project(volume, angles) - sinogram).square().mean()
    loss = 0.5 * misfit / (2 * log_sigma).exp() + log_sigma + 0.1 * total_variation(volume)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        volume.clamp_(-1, 1)

result = volume.detach().cpu()
print("error", (result - phantom.cpu()).abs().mean().item())
