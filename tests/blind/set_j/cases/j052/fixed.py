import math

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PINN(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], 1))


def d(u, v):
    return torch.autograd.grad(u, v, torch.ones_like(u), create_graph=True)[0]


def burgers_residual(model, x, t, nu=0.01 / math.pi):
    x, t = x.requires_grad_(True), t.requires_grad_(True)
    u = model(x, t)
    ux = d(u, x)
    return d(u, t) + u * ux - nu * d(ux, x)


def sample(n):
    return torch.rand(n, 1, device=device) * 2 - 1, torch.rand(n, 1, device=device)


pinn = PINN().to(device)
w0 = pinn.net[0].weight.detach().clone()
opt = torch.optim.Adam(pinn.parameters(), lr=1e-3)
ACCUM = 2
for it in range(8):
    x, t = sample(32)
    residual = burgers_residual(pinn, x, t)
    x0, _ = sample(32)
    initial = pinn(x0, torch.zeros_like(x0)) + torch.sin(math.pi * x0)
    loss = (residual.pow(2).mean() + initial.pow(2).mean()) / ACCUM
    loss.backward()
    if (it + 1) % ACCUM == 0:
        opt.step()
        opt.zero_grad()
print("loss", loss.item())
