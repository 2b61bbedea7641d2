import torch
from torch import nn


class Field(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, t):
        return self.net(t)


def derivative(y, t):
    return torch.autograd.grad(y, t, torch.ones_like(y), create_graph=True)[0]


class Terms:
    """The named parts of the loss of a physics-informed network."""

    def __init__(self, field, k=1.0):
        self.field, self.k = field, k

    def residual(self, t):
        u = self.field(t)
        return (derivative(u, t) + self.k * u).pow(2).mean()

    def initial(self):
        return (self.field(torch.zeros(1, 1)) - 1.0).pow(2).mean()

    def prior(self):
        return 1e-4 * sum(p.pow(2).sum() for p in self.field.parameters())

    def total(self, t):
        parts = [self.residual(t), self.initial(), self.prior()]
        return torch.tensor(parts, requires_grad=True).sum()


def solve(steps=4, lr=1e-2):
    field = Field()
    terms = Terms(field)
    adam = torch.optim.Adam(field.parameters(), lr=lr)
    for _ in range(steps):
        t = torch.rand(32, 1, requires_grad=True)
        adam.zero_grad()
        loss = terms.total(t)
        loss.backward()
        adam.step()
    return field, loss.item()


if __name__ == "__main__":
    field, value = solve()
    print("loss", value)
