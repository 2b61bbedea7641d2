"""Residual MLP for tabular regression."""
import torch
from torch import nn


class ResidualBlock(nn.Module):
    """Two linear layers with a shortcut; the shortcut is projected when widths differ."""

    def __init__(self, in_dim: int, out_dim: int, dropout: float = 0.1):
        super().__init__()
        self.in_dim, self.out_dim = in_dim, out_dim
        self.fc1 = nn.Linear(in_dim, out_dim)
        self.fc2 = nn.Linear(out_dim, out_dim)
        self.act = nn.GELU()
        self.drop = nn.Dropout(dropout)

    def shortcut(self, x: torch.Tensor) -> torch.Tensor:
        if self.in_dim == self.out_dim:
            return x
        proj = nn.Linear(self.in_dim, self.out_dim, bias=False)
        return proj.to(x.device)(x)

    def forward(self, x):
        y = self.fc2(self.drop(self.act(self.fc1(x))))
        return self.act(y + self.shortcut(x))


class TabularNet(nn.Module):
    def __init__(self, widths=(6, 16, 16, 8)):
        super().__init__()
        self.blocks = nn.Sequential(*(ResidualBlock(a, b) for a, b in zip(widths, widths[1:])))
        self.out = nn.Linear(widths[-1], 1)

    def forward(self, x):
        return self.out(self.blocks(x)).squeeze(-1)


def fit(model, x, y, epochs=5):
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    loss_fn = nn.MSELoss()
    model.train()
    for _ in range(epochs):
        opt.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        opt.step()
    return loss.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = TabularNet().to(device)
x = torch.randn(64, 6, device=device)
y = x[:, 0] * 2 - x[:, 1]
print(fit(model, x, y))
