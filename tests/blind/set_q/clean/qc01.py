import torch
import torch.nn as nn
import torch.nn.functional as F


class Mine(nn.Module):
    """Mutual information estimate with a bias corrected gradient."""

    def __init__(self, dim):
        super().__init__()
        self.T = nn.Sequential(nn.Linear(2 * dim, 32), nn.ELU(), nn.Linear(32, 1))
        self.register_buffer("ma_et", torch.ones(()))

    def forward(self, x, y, rate=0.05):
        joint = self.T(torch.cat([x, y], 1)).mean()
        et = self.T(torch.cat([x, y[torch.randperm(len(y))]], 1)).exp().mean()
        self.ma_et.mul_(1 - rate).add_(rate * et.detach())
        bound = joint - et.log()
        surrogate = joint - et / self.ma_et.clone()
        return surrogate, bound.detach()


class Probe:
    def __init__(self, device, dim=3, rho=0.8):
        self.device, self.dim, self.rho = device, dim, rho
        self.net = Mine(dim).to(device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=2e-3)

    def draw(self, n=128):
        x = torch.randn(n, self.dim, device=self.device)
        noise = torch.randn_like(x)
        return x, self.rho * x + (1 - self.rho ** 2) ** 0.5 * noise

    def fit(self, steps):
        trace = []
        for _ in range(steps):
            surrogate, bound = self.net(*self.draw())
            self.opt.zero_grad()
            (-surrogate).backward()
            self.opt.step()
            trace.append(bound)
        return torch.stack(trace)

    def estimate(self, k=5):
        with torch.no_grad():
            return torch.stack([self.net(*self.draw(), rate=0.0)[1] for _ in range(k)]).mean()


if __name__ == "__main__":
    probe = Probe(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    t = probe.fit(25)
    print(t[-5:].mean().item(), float(probe.estimate()))
