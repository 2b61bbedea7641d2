import torch
import torch.nn as nn


class LazyTables(nn.Module):
    """Base class that carries ordinary tensors along with the module's own transfers."""

    _carried = ()

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        for name in self._carried:
            value = getattr(self, name)
            if isinstance(value, torch.Tensor):
                setattr(self, name, fn(value))
            elif isinstance(value, list):
                setattr(self, name, [fn(v) for v in value])
        return self


class SphericalGrid(LazyTables):
    _carried = ("directions", "levels")

    def __init__(self, n=12, depth=3):
        super().__init__()
        i = torch.arange(n) + 0.5
        phi, theta = torch.acos(1 - 2 * i / n), torch.pi * (1 + 5 ** 0.5) * i
        self.directions = torch.stack([theta.cos() * phi.sin(), theta.sin() * phi.sin(), phi.cos()], -1)
        self.levels = [torch.eye(n).view(n, n // 2 ** k, 2 ** k).mean(-1) for k in range(depth)]
        self.mix = nn.Linear(sum(l.shape[1] for l in self.levels), 1)

    def forward(self, x):
        resp = torch.relu(x @ self.directions.t())
        pooled = [resp @ level for level in self.levels]
        return self.mix(torch.cat(pooled, -1)).squeeze(-1)


def fit(model, device, steps=15):
    model = model.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=2e-2)
    for _ in range(steps):
        x = nn.functional.normalize(torch.randn(64, 3, device=device), dim=-1)
        target = x[:, 2].clamp(min=0)
        loss = nn.functional.mse_loss(model(x), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    grid = SphericalGrid()
    print(fit(grid, device), sum(p.numel() for p in grid.parameters()))
    grid.cpu().double()
    with torch.no_grad():
        print(grid(torch.eye(3, dtype=torch.float64)).numpy())
