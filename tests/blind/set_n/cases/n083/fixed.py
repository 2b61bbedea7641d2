import torch
from torch import nn


class Codec(nn.Module):
    """Learned transform coding of short blocks."""

    def __init__(self, block=16, latent=6, step=0.25):
        super().__init__()
        self.analysis = nn.Sequential(nn.Linear(block, 24), nn.GELU(), nn.Linear(24, latent))
        self.synthesis = nn.Sequential(nn.Linear(latent, 24), nn.GELU(), nn.Linear(24, block))
        self.step = step

    def quantize(self, z):
        return z + (torch.round(z / self.step) * self.step - z).detach()

    def forward(self, x):
        z = self.quantize(self.analysis(x))
        return self.synthesis(z), z


def distortion(x, y):
    return (x - y).pow(2).mean()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
codec = Codec().to(device)
opt = torch.optim.Adam(codec.parameters(), lr=1e-3)
for it in range(4):
    x = torch.sin(torch.rand(12, 1, device=device) * 6 + torch.arange(16, device=device) * 0.3)
    y, z = codec(x)
    loss = distortion(x, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item(), z.detach().unique().numel())
