import torch
from torch import nn


class SinkhornLoss(nn.Module):
    """Keeps the dual potentials of the last call to start from them again."""

    def __init__(self, n, eps=0.2, iters=15):
        super().__init__()
        self.eps, self.iters = eps, iters
        self.register_buffer("f", torch.zeros(n), persistent=False)
        self.register_buffer("g", torch.zeros(n), persistent=False)

    def forward(self, x, y):
        cost = torch.cdist(x, y).square()
        f, g = self.f, self.g
        with torch.no_grad():
            for _ in range(self.iters):
                f = -self.eps * ((g[None] - cost) / self.eps).logsumexp(1)
                g = -self.eps * ((f[:, None] - cost) / self.eps).logsumexp(0)
            self.f.copy_(f)
            self.g.copy_(g)
            plan = ((f[:, None] + g[None] - cost) / self.eps).exp()
            plan /= plan.sum()
        # envelope theorem: the plan is a constant for the gradient
        return (plan * cost).sum()


class Coupling(nn.Module):
    def __init__(self, dim=2, hidden=24, flip=False):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(dim // 2, hidden), nn.Tanh(), nn.Linear(hidden, dim))

    def forward(self, z):
        a, b = z.chunk(2, dim=1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, dim=1)
        b = b * s.tanh().exp() + t
        return torch.cat((b, a) if self.flip else (a, b), dim=1)


def moons(n, device):
    t = torch.rand(n, device=device) * torch.pi
    upper = torch.stack([t.cos(), t.sin()], 1)
    lower = torch.stack([1 - t.cos(), 0.5 - t.sin()], 1)
    pick = torch.rand(n, 1, device=device) < 0.5
    return torch.where(pick, upper, lower) + 0.05 * torch.randn(n, 2, device=device)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    n = 64
    flow = nn.Sequential(*(Coupling(flip=bool(i % 2)) for i in range(4))).to(device)
    criterion = SinkhornLoss(n).to(device)
    optimizer = torch.optim.Adam(flow.parameters(), lr=2e-3)
    target = moons(n, device)
    noise = torch.randn(n, 2, device=device)
    for step in range(8):
        loss = criterion(flow(noise), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 4 == 0:
            print(step, loss.item())


if __name__ == "__main__":
    main()
