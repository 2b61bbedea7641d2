import torch
import torch.nn as nn


class PinballLoss:
    def __init__(self, q):
        self.q = q

    def __call__(self, pred, y):
        e = y - pred
        return torch.maximum(self.q * e, (self.q - 1) * e).mean()


class QuantileNet(nn.Module):
    def __init__(self, features, quantiles):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(features, 32), nn.Tanh())
        self.heads = nn.ModuleList(nn.Linear(32, 1) for _ in quantiles)

    def forward(self, x):
        h = self.trunk(x)
        return [head(h).squeeze(-1) for head in self.heads]


class Forecaster:
    def __init__(self, quantiles=(0.1, 0.5, 0.9), features=6):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.net = QuantileNet(features, quantiles).to(self.device)
        self.losses = [PinballLoss(q) for q in quantiles]
        self.weights = torch.tensor([1.0, 2.0, 1.0], device=self.device)

    def criterion(self, outs, y):
        parts = [fn(o, y) for fn, o in zip(self.losses, outs)]
        parts = torch.stack(parts)
        return (self.weights * parts).sum()

    def fit(self, x, y, epochs=5, lr=1e-2):
        opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        for ep in range(epochs):
            self.net.train()
            opt.zero_grad()
            loss = self.criterion(self.net(x.to(self.device)), y.to(self.device))
            loss.backward()
            opt.step()
            print(f"epoch {ep}: {loss.item():.4f}")
        return self


model = Forecaster()
before = [p.detach().clone() for p in model.net.parameters()]
x = torch.randn(64, 6)
model.fit(x, x.sum(1) + torch.randn(64))
moved = sum((a - b.detach()).abs().sum().item() for a, b in zip(before, model.net.parameters()))
print("weights moved by", moved)
