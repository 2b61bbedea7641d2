import numpy as np
import torch
from torch import nn

torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")


def burgers_grid(nx=32, nt=16):
    x = np.linspace(-1, 1, nx, dtype=np.float32)
    t = np.linspace(0, 1, nt, dtype=np.float32)
    xx, tt = np.meshgrid(x, t)
    return np.stack([xx.ravel(), tt.ravel()], axis=1), -np.sin(np.pi * x)[:, None]


class MLP(nn.Module):
    def __init__(self, widths=(2, 20, 20, 1)):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths, widths[1:]))

    def forward(self, xt):
        for layer in self.layers[:-1]:
            xt = torch.tanh(layer(xt))
        return self.layers[-1](xt)


def residual(net, pts, nu=0.01 / np.pi):
    pts = pts.clone().requires_grad_(True)
    u = net(pts)
    du = torch.autograd.grad(u.sum(), pts, create_graph=True)[0]
    u_x, u_t = du[:, :1], du[:, 1:]
    u_xx = torch.autograd.grad(u_x.sum(), pts, create_graph=True)[0][:, :1]
    return u_t + u * u_x - nu * u_xx


points, u0 = burgers_grid()
collocation = torch.from_numpy(points)
initial = torch.from_numpy(u0)
net = MLP()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
t0 = torch.stack([torch.linspace(-1, 1, 32), torch.zeros(32)], dim=1)
for it in range(5):
    loss = residual(net, collocation).pow(2).mean() + (net(t0) - initial).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item())
