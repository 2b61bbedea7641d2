import torch
from torch import nn


def cost_matrix(x, y, p=2):
    return torch.cdist(x, y).pow(p)


def sinkhorn(cost, eps=0.1, iters=30):
    """Entropic transport cost between two uniform point clouds."""
    n, m = cost.shape
    log_a = torch.full_like(cost[:, 0], 1.0 / n).log()
    log_b = torch.full_like(cost[0], 1.0 / m).log()
    f, g = torch.zeros_like(log_a), torch.zeros_like(log_b)
    for _ in range(iters):
        f = -eps * torch.logsumexp((g[None] - cost) / eps + log_b[None], dim=1)
        g = -eps * torch.logsumexp((f[:, None] - cost) / eps + log_a[:, None], dim=0)
    plan = ((f[:, None] + g[None] - cost) / eps + log_a[:, None] + log_b[None]).exp()
    return (plan * cost).sum()


def divergence(x, y):
    xy = sinkhorn(cost_matrix(x, y))
    xx = sinkhorn(cost_matrix(x, x))
    yy = sinkhorn(cost_matrix(y, y))
    return xy - 0.5 * (xx + yy)


class PointFlow(nn.Module):
    """Maps a noise cloud to a shape, conditioned on a class code."""

    def __init__(self, codes=3, dim=8):
        super().__init__()
        self.code = nn.Embedding(codes, dim)
        self.net = nn.Sequential(nn.Linear(2 + dim, 48), nn.SiLU(), nn.Linear(48, 2))

    def forward(self, noise, label):
        c = self.code(label)[:, None].expand(-1, noise.size(1), -1)
        return noise + self.net(torch.cat([noise, c], -1))


def shapes(labels, points):
    angle = torch.rand(len(labels), points) * 6.283
    radius = 1.0 + 0.5 * labels[:, None]
    return torch.stack([radius * angle.cos(), radius * angle.sin()], -1)


def batch_loss(model, labels, points=24):
    target = shapes(labels, points)
    made = model(torch.randn(len(labels), points, 2), labels)
    per_cloud = [divergence(a, b) for a, b in zip(made, target)]
    return torch.tensor(per_cloud, requires_grad=True).mean()


torch.manual_seed(0)
model = PointFlow()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(5):
    labels = torch.randint(0, 3, (4,))
    loss = batch_loss(model, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, float(loss.detach()))
