# %% heat equation u_t = a u_xx with unknown conductivity, from sparse sensors
import math
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
true_a = 0.05
sensors = torch.linspace(0.1, 0.9, 5)
times = torch.linspace(0, 1, 8)
tt, xx = torch.meshgrid(times, sensors, indexing="ij")
data = torch.stack([xx.flatten(), tt.flatten()], 1)
values = torch.exp(-true_a * math.pi ** 2 * data[:, 1:]) * torch.sin(math.pi * data[:, :1])
values = values + 0.01 * torch.randn_like(values)

# %% network and the physical constant
net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
log_a = nn.Parameter(torch.tensor(-2.0))
optimizer = torch.optim.Adam([{"params": net.parameters()}, {"params": [log_a], "lr": 2e-2}], lr=3e-3)

# %% training
curve = []
for step in range(30):
    inner = torch.rand(100, 2, requires_grad=True)
    u = net(inner)
    du = torch.autograd.grad(u.sum(), inner, create_graph=True)[0]
    ddu = torch.autograd.grad(du[:, 0].sum(), inner, create_graph=True)[0]
    physics = (du[:, 1] - log_a.exp() * ddu[:, 0]).square().mean()
    misfit = (net(data) - values).square().mean()
    loss = misfit + 0.1 * physics
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    curve.append((misfit.item(), physics.item()))

# %% compare with the exact solution
grid_x = torch.linspace(0, 1, 21)
profiles = {}
for t in (0.0, 0.5, 1.0):
    pts = torch.stack([grid_x, torch.full_like(grid_x, t)], 1)
    profiles[t] = net(pts).squeeze(1)

exact = {t: np.exp(-true_a * np.pi ** 2 * t) * np.sin(np.pi * grid_x.numpy()) for t in profiles}
for t, profile in profiles.items():
    error = np.abs(profile.numpy() - exact[t]).max()
    print(f"t={t}: max error {error:.3f}")

# %% summary
curve = np.array(curve)
print("misfit", curve[0, 0], "->", curve[-1, 0])
print("conductivity", log_a.exp().item(), "true", true_a)
