import torch
from torch import nn


def seeded_noise(shape, seed, device):
    """Same noise on every machine: drawn on the host, then sent."""
    g = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=g).to(device)


class Flow(nn.Module):
    def __init__(self, d=4, h=16):
        super().__init__()
        self.d = d
        self.s = nn.Sequential(nn.Linear(d // 2, h), nn.Tanh(), nn.Linear(h, d // 2))
        self.t = nn.Sequential(nn.Linear(d // 2, h), nn.Tanh(), nn.Linear(h, d // 2))

    def forward(self, x):
        a, b = x.chunk(2, 1)
        s = self.s(a)
        return torch.cat([a, b * s.exp() + self.t(a)], 1), s.sum(1)

    @torch.no_grad()
    def inverse(self, z):
        a, b = z.chunk(2, 1)
        return torch.cat([a, (b - self.t(a)) * (-self.s(a)).exp()], 1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
flow = Flow().to(device)
opt = torch.optim.Adam(flow.parameters(), lr=1e-2)
for step in range(4):
    x = seeded_noise((32, 4), step, device) * 2 + 1
    z, logdet = flow(x)
    nll = (0.5 * z.pow(2).sum(1) - logdet).mean()
    opt.zero_grad()
    nll.backward()
    opt.step()
print(flow.inverse(seeded_noise((3, 4), 99, device)).cpu().numpy())
