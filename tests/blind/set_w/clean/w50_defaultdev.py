import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class SpectralConv(nn.Module):
    def __init__(self, width, modes):
        super().__init__()
        self.modes = modes
        self.re = nn.Parameter(torch.randn(width, width, modes) / width)
        self.im = nn.Parameter(torch.randn(width, width, modes) / width)

    def forward(self, x):
        basis = torch.arange(x.size(-1), device=x.device)[:, None] * torch.arange(self.modes, device=x.device)
        ang = 2 * torch.pi * basis / x.size(-1)
        c, s = ang.cos(), ang.sin()
        re, im = x @ c, -(x @ s)
        yr = torch.einsum("bim,iom->bom", re, self.re) - torch.einsum("bim,iom->bom", im, self.im)
        yi = torch.einsum("bim,iom->bom", re, self.im) + torch.einsum("bim,iom->bom", im, self.re)
        return (yr @ c.t() - yi @ s.t()) / x.size(-1)


class FNO(nn.Module):
    def __init__(self, width=8, modes=5):
        super().__init__()
        self.lift = nn.Conv1d(2, width, 1)
        self.spec = nn.ModuleList([SpectralConv(width, modes) for _ in range(2)])
        self.skip = nn.ModuleList([nn.Conv1d(width, width, 1) for _ in range(2)])
        self.drop = nn.Conv1d(width, 1, 1)
        self.register_buffer("coord", torch.linspace(0, 1, 32))

    def forward(self, u):
        grid = self.coord.expand(len(u), 1, -1)
        h = self.lift(torch.cat([u, grid], 1))
        for a, b in zip(self.spec, self.skip):
            h = torch.nn.functional.gelu(a(h) + b(h))
        return self.drop(h)


def waves(n, rng=np.random.default_rng(0)):
    x = np.linspace(0, 1, 32)
    k, ph = rng.integers(1, 4, (n, 1)), rng.uniform(0, 6, (n, 1))
    return np.sin(2 * np.pi * k * x + ph), np.sin(2 * np.pi * k * (x - 0.1) + ph)


with torch.device(device):
    net = FNO()
    noise_level = torch.tensor(0.01)

opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for it in range(3):
    a, b = (torch.from_numpy(w).float().unsqueeze(1).to(device) for w in waves(8))
    pred = net(a + noise_level * torch.randn_like(a))
    loss = (pred - b).norm(dim=-1).div(b.norm(dim=-1)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, f"{loss.item():.3f}")
