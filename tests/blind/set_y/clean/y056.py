import contextlib

import torch
from torch import nn


@contextlib.contextmanager
def evaluating(*nets):
    """Temporarily switch to evaluation mode."""
    was = [net.training for net in nets]
    try:
        for net in nets:
            net.eval()
        with torch.no_grad():
            yield nets
    finally:
        for net, mode in zip(nets, was):
            net.train(mode)


class MCDropout(nn.Module):
    def __init__(self, dim=8, p=0.3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(p), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x)

    @torch.no_grad()
    def predict(self, x, samples=10):
        """Dropout stays on for the posterior, batch statistics do not."""
        was_training = self.training
        self.eval()
        for m in self.modules():
            if isinstance(m, nn.Dropout):
                m.train()
        draws = torch.stack([self(x) for _ in range(samples)])
        self.train(was_training)
        return draws.mean(0), draws.std(0)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = MCDropout().to(device)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
x = torch.randn(64, 8, device=device)
y = x[:, :1].sin()
model.train()
for epoch in range(4):
    for xb, yb in zip(x.chunk(4), y.chunk(4)):
        loss = nn.functional.mse_loss(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with evaluating(model) as (m,):
        val = nn.functional.mse_loss(m(x), y).item()
    mean, std = model.predict(x[:5])
    assert model.training
    print(epoch, f"{val:.4f} +- {std.mean().item():.4f}")
