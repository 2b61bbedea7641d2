import torch
from torch import nn
import torch.nn.functional as F


class Metric:
    def __init__(self):
        self.state = {}

    def add(self, name, value):
        value = value.detach()
        if name in self.state:
            self.state[name] = self.state[name] + value
        else:
            self.state[name] = value

    def __getitem__(self, name):
        return self.state[name].cpu()


class RegressionMetrics(Metric):
    """Sums stay where the predictions are; one transfer at the end."""

    def update(self, pred, target):
        error = pred - target
        self.add("n", torch.tensor(float(target.numel())))
        self.add("abs", error.abs().sum())
        self.add("sq", error.square().sum())
        self.add("y", target.sum())
        self.add("yy", target.square().sum())

    def compute(self):
        n = self["n"]
        var = self["yy"] / n - (self["y"] / n) ** 2
        return {"mae": (self["abs"] / n).item(), "rmse": (self["sq"] / n).sqrt().item(), "r2": (1 - self["sq"] / n / var).item()}


class Quantiles(Metric):
    def __init__(self, levels):
        super().__init__()
        self.levels = levels

    def update(self, quantiles, target):
        below = (target.unsqueeze(-1) <= quantiles).float()
        self.add("below", below.flatten(0, -2).sum(0))
        self.add("n", torch.tensor(target.numel()))

    def compute(self):
        share = self["below"] / self["n"]
        return dict(zip(self.levels, share.tolist()))


class QuantileNet(nn.Module):
    def __init__(self, lags, levels):
        super().__init__()
        self.register_buffer("levels", torch.tensor(levels))
        self.body = nn.Sequential(nn.Linear(lags, 32), nn.ReLU())
        self.first = nn.Linear(32, 1)
        self.gaps = nn.Linear(32, len(levels) - 1)

    def forward(self, x):
        h = self.body(x)
        steps = torch.cat([self.first(h), F.softplus(self.gaps(h))], -1)
        return steps.cumsum(-1)

    def pinball(self, q, y):
        d = y.unsqueeze(-1) - q
        return torch.maximum(self.levels * d, (self.levels - 1) * d).mean()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    levels = [0.1, 0.5, 0.9]
    series = torch.randn(500).cumsum(0) * 0.1 + torch.sin(torch.arange(500) / 9)
    windows = series.unfold(0, 13, 1)
    model = QuantileNet(12, levels).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    train, test = windows[:400], windows[400:]
    for epoch in range(3):
        point, coverage = RegressionMetrics(), Quantiles(levels)
        model.train()
        for rows in train[torch.randperm(len(train))].split(64):
            rows = rows.to(device)
            q = model(rows[:, :-1])
            loss = model.pinball(q, rows[:, -1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            point.update(q[:, 1], rows[:, -1])
        model.eval()
        with torch.no_grad():
            for rows in test.split(64):
                rows = rows.to(device)
                coverage.update(model(rows[:, :-1]), rows[:, -1])
        print(epoch, point.compute(), coverage.compute())


if __name__ == "__main__":
    main()
