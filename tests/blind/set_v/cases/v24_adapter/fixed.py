import torch
from torch import nn
import torch.nn.functional as F


class Branch(nn.Module):
    def __init__(self, n_in, dim):
        super().__init__()
        self.dim = dim
        self.body = nn.Sequential(nn.Linear(n_in, dim), nn.ReLU())

    def forward(self, x):
        return self.body(x)


class Fusion(nn.Module):
    """Joins branches of different width."""

    def __init__(self, sizes, dims, out=10):
        super().__init__()
        self.branches = nn.ModuleList(Branch(n, d) for n, d in zip(sizes, dims))
        self.width = max(dims)
        self.adapters = nn.ModuleList(
            nn.Linear(d, self.width) if d != self.width else nn.Identity() for d in dims
        )
        self.head = nn.Linear(self.width, out)

    def align(self, feats, i):
        return self.adapters[i](feats)

    def forward(self, *inputs):
        total = 0
        for i, (branch, x) in enumerate(zip(self.branches, inputs)):
            total = total + self.align(branch(x), i)
        return self.head(F.relu(total))


def main(steps=3):
    net = Fusion(sizes=[5, 7], dims=[8, 16], out=4)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(steps):
        a, b, y = torch.randn(9, 5), torch.randn(9, 7), torch.randint(0, 4, (9,))
        loss = F.cross_entropy(net(a, b), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
    return net


if __name__ == "__main__":
    net = main()
