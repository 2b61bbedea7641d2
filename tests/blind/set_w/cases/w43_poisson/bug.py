import torch
from torch import nn


class IntensityModel(nn.Module):
    """Log-linear rate of a spatial point process."""

    def __init__(self, d, cap=3.0):
        super().__init__()
        self.lin = nn.Linear(d, 1, dtype=torch.float64)
        self.cap = cap

    def rate(self, x):
        lam = self.lin(x).squeeze(-1).exp()
        return self.limit(lam)

    def limit(self, lam):
        lam.data.mul_(self.cap).div_(lam.data + 1)
        return lam

    def forward(self, x, counts):
        lam = self.rate(x)
        return (lam - counts * torch.log(lam + 1e-6)).mean()


def spikes(n, d=4):
    x = torch.randn(n, d, dtype=torch.float64)
    return x, torch.poisson(torch.exp(0.5 * x[:, 0]).clamp(max=3))


def fit(model, data, iters=10):
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    x, n = data
    for _ in range(iters):
        opt.zero_grad()
        nll = model(x, n)
        nll.backward()
        opt.step()
    return nll.item()


model, data = IntensityModel(4), spikes(128)
print(fit(model, data), model.lin.weight.tolist())
