import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--levels", type=int, default=8)
parser.add_argument("--steps", type=int, default=4)
args = parser.parse_args()


def quantize(latent, levels):
    """Latents in (-1, 1) on a uniform grid."""
    scaled = (latent + 1) / 2 * (levels - 1)
    grid = torch.round(scaled)
    return grid / (levels - 1) * 2 - 1


class Codec(nn.Module):
    def __init__(self, dim=24, code=6, levels=8):
        super().__init__()
        self.levels = levels
        self.analysis = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Linear(16, code), nn.Tanh())
        self.synthesis = nn.Sequential(nn.Linear(code, 16), nn.ReLU(), nn.Linear(16, dim))

    def forward(self, x):
        code = quantize(self.analysis(x), self.levels)
        return self.synthesis(code)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
codec = Codec(levels=args.levels).to(device)
optimizer = torch.optim.Adam(codec.parameters(), lr=1e-3)
basis = torch.randn(4, 24, device=device)
for step in range(args.steps):
    x = torch.randn(32, 4, device=device) @ basis
    loss = F.mse_loss(codec(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
