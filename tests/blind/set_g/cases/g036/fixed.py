import torch
import torch.nn as nn


class CouplingBlock(nn.Module):
    """Additive coupling on the two halves of the channels."""

    def __init__(self, dim):
        super().__init__()
        half = dim // 2
        self.f = nn.Sequential(nn.Linear(half, 32), nn.Tanh(), nn.Linear(32, half))
        self.g = nn.Sequential(nn.Linear(half, 32), nn.Tanh(), nn.Linear(32, half))

    def forward(self, x):
        a, b = x.chunk(2, dim=-1)
        a = a + self.f(b)
        b = b + self.g(a)
        return torch.cat([b, a], dim=-1)


class Flow(nn.Module):
    def __init__(self, dim=6, blocks=3):
        super().__init__()
        self.embed = nn.Linear(dim, dim)
        self.blocks = nn.ModuleList(CouplingBlock(dim) for _ in range(blocks))
        self.log_scale = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return x * self.log_scale.exp()

    def nll(self, x):
        z = self(x)
        return (0.5 * z.pow(2)).sum(-1).mean() - self.log_scale.sum()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    flow = Flow().to(device)
    optimizer = torch.optim.Adam(flow.parameters(), lr=1e-3)
    for step in range(3):
        batch = torch.randn(16, 6, device=device) * 2 + 1
        loss = flow.nll(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())
