import torch


class ClickEnv:
    """Arms are ads described by a vector; the context is appended to each of them."""

    def __init__(self, arms=5, dim=6, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.arms = torch.randn(arms, dim, generator=g)
        self.theta = torch.randn(2 * dim, generator=g)

    def observe(self):
        self.context = torch.randn(self.arms.size(1))
        return torch.cat([self.arms, self.context.expand_as(self.arms)], dim=1)

    def pull(self, row):
        return float(torch.rand(()) < torch.sigmoid(row.cpu() @ self.theta))
