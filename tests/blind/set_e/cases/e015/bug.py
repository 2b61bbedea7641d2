from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class Args:
    seed: int = 3
    steps: int = 3
    hidden: int = 16
    device: torch.device = field(default_factory=lambda: torch.device("cuda" if torch.cuda.is_available() else "cpu"))


class NeuralODE(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(dim + 1, hidden), nn.Tanh(), nn.Linear(hidden, dim))

    def forward(self, x, t0=0.0, t1=1.0, n=5):
        dt = (t1 - t0) / n
        t = torch.full((x.size(0), 1), t0, device=x.device)
        for _ in range(n):
            x = x + dt * self.f(torch.cat([x, t], dim=1))
            t = t + dt
        return x


def spiral(n, device):
    theta = torch.rand(n, device=device) * 6.28
    return torch.stack([theta.cos() * theta, theta.sin() * theta], 1)


def main(args=None):
    args = args or Args()
    torch.manual_seed(args.seed)
    model = NeuralODE(2, args.hidden).to(args.device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for step in range(args.steps):
        target = spiral(32, args.device)
        z = torch.randn(32, 2).cuda()
        loss = torch.cdist(model(z), target).min(1).values.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
