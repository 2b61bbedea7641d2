import math

import torch
import torch.nn as nn


class SpectralNorm(nn.Module):
    """Power iteration kept in buffers, applied to any module with a 2-d weight."""

    def __init__(self, module, n_iter=1, eps=1e-12):
        super().__init__()
        self.module, self.n_iter, self.eps = module, n_iter, eps
        w = module.weight
        del module._parameters["weight"]
        self.weight_orig = nn.Parameter(w.detach().clone())
        self.register_buffer("u", nn.functional.normalize(torch.randn(w.shape[0]), dim=0))
        self.register_buffer("v", nn.functional.normalize(torch.randn(w[0].numel()), dim=0))

    def compute_weight(self):
        w = self.weight_orig.flatten(1)
        if self.training:
            with torch.no_grad():
                for _ in range(self.n_iter):
                    self.v.copy_(nn.functional.normalize(w.t().mv(self.u), dim=0, eps=self.eps))
                    self.u.copy_(nn.functional.normalize(w.mv(self.v), dim=0, eps=self.eps))
        sigma = torch.dot(self.u.clone(), w.mv(self.v.clone()))
        return self.weight_orig / sigma

    def forward(self, *args):
        self.module.weight = self.compute_weight()
        return self.module(*args)


def disc():
    return nn.Sequential(
        SpectralNorm(nn.Conv2d(1, 8, 4, stride=2, padding=1)), nn.LeakyReLU(0.1),
        SpectralNorm(nn.Conv2d(8, 16, 4, stride=2, padding=1)), nn.LeakyReLU(0.1),
        nn.Flatten(), SpectralNorm(nn.Linear(16 * 4 * 4, 1)))


class Up(nn.Module):
    def __init__(self, z):
        super().__init__()
        self.fc = nn.Linear(z, 16 * 4 * 4)
        self.net = nn.Sequential(nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.ReLU(True),
                                 nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Tanh())

    def forward(self, z):
        return self.net(self.fc(z).unflatten(1, (16, 4, 4)))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    g, d = Up(8).to(device), disc().to(device)
    og = torch.optim.Adam(g.parameters(), 1e-3, (0.5, 0.9))
    od = torch.optim.Adam(d.parameters(), 1e-3, (0.5, 0.9))
    grid = torch.linspace(-math.pi, math.pi, 16)
    for it in range(6):
        real = torch.sin(grid[None, :] + torch.rand(8, 1, 1) * 6)[:, None].expand(8, 1, 16, 16).to(device)
        z = torch.randn(8, 8, device=device)
        fake = g(z)
        ld = torch.relu(1 - d(real)).mean() + torch.relu(1 + d(fake.detach())).mean()
        od.zero_grad()
        ld.backward()
        od.step()
        lg = -d(fake).mean()
        og.zero_grad()
        lg.backward()
        og.step()
    print(ld.item(), lg.item())


if __name__ == "__main__":
    main()
