import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Regressor(nn.Module):
    def __init__(self, inp, hidden):
        super().__init__()
        self.l1 = nn.Linear(inp, hidden)
        self.l2 = nn.Linear(hidden, 1)
        self.register_buffer("scale", torch.ones(inp))

    def forward(self, x):
        return self.l2(F.silu(self.l1(x / self.scale))).squeeze(-1)


def make_data(n, rng):
    x = rng.normal(size=(n, 5)).astype(np.float32)
    y = (x ** 2).sum(axis=1) + 0.1 * rng.normal(size=n).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(y.astype(np.float32))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rng = np.random.default_rng(0)
    x, y = make_data(128, rng)
    with device:
        model = Regressor(5, 24)
    model.scale.copy_(x.std(0))
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        for xb, yb in loader:
            xb, yb = xb.to(device), yb.to(device)
            loss = F.mse_loss(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, f"{loss.item():.4f}")
    xt, yt = make_data(16, rng)
    with torch.no_grad():
        pred = model(xt.to(device)).cpu()
    print("test mae", (pred - yt).abs().mean().item())


if __name__ == "__main__":
    main()
