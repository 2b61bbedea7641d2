import math
import torch
from torch import nn


def fourier(x, bands=4):
    f = 2.0 ** torch.arange(bands, device=x.device) * math.pi
    a = x[..., None] * f
    return torch.cat([a.sin(), a.cos()], -1).flatten(-2)


class Field(nn.Module):
    def __init__(self, bands=4, hid=32):
        super().__init__()
        self.bands = bands
        self.net = nn.Sequential(nn.Linear(6 * bands, hid), nn.ReLU(), nn.Linear(hid, 4))

    def forward(self, x):
        o = self.net(fourier(x, self.bands))
        return o[..., :3].sigmoid(), o[..., 3].relu()


class Poses:
    """Camera translations and axis-angle rotations to be refined with the field."""

    def __init__(self, views, device):
        self.shift = self._var(views, device)
        self.omega = self._var(views, device)

    @staticmethod
    def _var(views, device):
        return torch.zeros(views, 3, device=device, requires_grad=True)

    def variables(self):
        return [self.shift, self.omega]

    def apply(self, i, origin, direction):
        w = self.omega[i].expand_as(direction)
        turned = direction + torch.cross(w, direction, dim=-1)
        return origin + self.shift[i], turned


def render(field, o, d, samples=8):
    t = torch.linspace(0.1, 2, samples, device=o.device)
    pts = o[:, None] + d[:, None] * t[:, None]
    rgb, sigma = field(pts)
    alpha = 1 - torch.exp(-sigma * (t[1] - t[0]))
    trans = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-9], 1), 1)[:, :-1]
    return ((alpha * trans)[..., None] * rgb).sum(1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    field, poses = Field().to(device), Poses(4, device)
    opt = torch.optim.Adam([
        {"params": field.parameters(), "lr": 1e-3},
        {"params": poses.variables(), "lr": 1e-4},
    ])
    for it in range(4):
        view = it % 4
        d = nn.functional.normalize(torch.randn(32, 3, device=device), dim=-1)
        o, d = poses.apply(view, torch.zeros(32, 3, device=device), d)
        loss = (render(field, o, d) - torch.rand(32, 3, device=device)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
