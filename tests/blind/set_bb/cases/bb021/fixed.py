import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--levels", type=int, default=8)
parser.add_argument("--steps", type=int, default=6)
parser.add_argument("--lmbda", type=float, default=0.01)
opt = parser.parse_args()
opt.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Quantizer(nn.Module):
    """Uniform quantisation of the latent to a fixed number of levels."""

    def __init__(self, levels):
        super().__init__()
        self.levels = levels

    def squash(self, z):
        return torch.sigmoid(z) * (self.levels - 1)

    def forward(self, z):
        s = self.squash(z)
        q = s + (torch.round(s) - s).detach()
        return q / (self.levels - 1)


class Codec(nn.Module):
    def __init__(self, dim=16, latent=4, levels=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, latent))
        self.quant = Quantizer(levels)
        self.dec = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, dim))

    def compress(self, x):
        return self.quant(self.enc(x))

    def forward(self, x):
        code = self.compress(x)
        return self.dec(code), code


def psnr(a, b):
    return -10 * torch.log10(F.mse_loss(a, b)).item()


def signal(n, dim=16):
    t = torch.linspace(0, 6.28, dim)
    f = 1 + 2 * torch.rand(n, 1)
    return torch.sin(f * t + 6.28 * torch.rand(n, 1))


codec = Codec(levels=opt.levels).to(opt.device)
first = codec.enc[0].weight.detach().cpu().clone()
optimizer = torch.optim.Adam(codec.parameters(), lr=3e-3)
for i in range(opt.steps):
    x = signal(32).to(opt.device)
    rec, code = codec(x)
    loss = F.mse_loss(rec, x) + opt.lmbda * (code - 0.5).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

codec.eval()
with torch.no_grad():
    test = signal(16).to(opt.device)
    print("psnr", psnr(codec(test)[0], test))
