import math
import torch
from torch import nn

torch.manual_seed(3)
device = "cuda" if torch.cuda.is_available() else "cpu"
DIM = 4


def mlp(i, o, h=24):
    return nn.Sequential(nn.Linear(i, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, o))


class Affine(nn.Module):
    def __init__(self, dim, flip):
        super().__init__()
        pattern = [(i + int(flip)) % 2 for i in range(dim)]
        self.register_buffer("keep", torch.tensor(pattern, dtype=torch.float32))
        self.scale = mlp(dim, dim)
        self.shift = mlp(dim, dim)

    def _st(self, x):
        frozen = x * self.keep
        move = 1.0 - self.keep
        return torch.tanh(self.scale(frozen)) * move, self.shift(frozen) * move

    def forward(self, x):
        s, t = self._st(x)
        return x * s.exp() + t, s.sum(-1)

    def inverse(self, z):
        s, t = self._st(z)
        return (z - t) * (-s).exp()


class RealNVP(nn.Module):
    def __init__(self, dim, n_layers=4):
        super().__init__()
        self.layers = nn.ModuleList(Affine(dim, k % 2 == 1) for k in range(n_layers))
        self.dim = dim

    def forward(self, x):
        logdet = x.new_zeros(x.size(0))
        for layer in self.layers:
            x, ld = layer(x)
            logdet = logdet + ld
        return x, logdet

    def log_prob(self, x):
        z, logdet = self(x)
        base = -0.5 * (z ** 2).sum(-1) - 0.5 * self.dim * math.log(2 * math.pi)
        return base + logdet

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, self.dim, device=next(self.parameters()).device)
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z


def moons(n):
    a = torch.rand(n) * math.pi
    xy = torch.stack([a.cos(), a.sin(), 1 - a.cos(), 0.5 - a.sin()], 1)
    return xy + 0.05 * torch.randn(n, DIM)


flow = RealNVP(DIM).to(device)
opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
for it in range(6):
    x = moons(64).to(device)
    nll = -flow.log_prob(x).mean()
    opt.zero_grad()
    nll.backward()
    opt.step()
    if it % 3 == 0:
        print(it, round(nll.item(), 3))
print(flow.sample(5).shape)
