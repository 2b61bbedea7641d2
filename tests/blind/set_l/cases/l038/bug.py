import torch
import torch.nn as nn
import torch.nn.functional as F


class Gate(nn.Module):
    """exp-gating with a floor, so that no channel is switched off for good."""

    floor = 0.2

    def __init__(self, dim=4):
        super().__init__()
        self.score = nn.Linear(dim, dim)

    def limit(self, g):
        g.data.mul_(1 - self.floor).add_(self.floor)
        return g

    def forward(self, x):
        g = torch.sigmoid(self.score(x))
        return x * self.limit(g)


class GatedTab(nn.Module):
    def __init__(self, dim, depth, n_out):
        super().__init__()
        self.blocks = nn.ModuleList(Gate(dim) for _ in range(depth))
        self.mix = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))
        self.head = nn.Linear(dim, n_out)

    def forward(self, x):
        for gate, mix in zip(self.blocks, self.mix):
            x = x + F.gelu(mix(gate(x)))
        return self.head(x)


class Standardizer:
    def fit(self, x):
        self.mean, self.std = x.mean(0), x.std(0).clamp(min=1e-6)
        return self

    def __call__(self, x):
        return (x - self.mean) / self.std


def cross_validate(x, y, k=3, epochs=3):
    scores = []
    for fold in range(k):
        val = torch.arange(len(x)) % k == fold
        scale = Standardizer().fit(x[~val])
        model = GatedTab(x.size(1), 2, 1)
        opt = torch.optim.Adam(model.parameters(), lr=1e-2)
        for _ in range(epochs):
            loss = F.mse_loss(model(scale(x[~val])).squeeze(1), y[~val])
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            scores.append(F.mse_loss(model(scale(x[val])).squeeze(1), y[val]).item())
    return scores


X = torch.randn(90, 4)
print(cross_validate(X, X[:, 0] * X[:, 1]))
