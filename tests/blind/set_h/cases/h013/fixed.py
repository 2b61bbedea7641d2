import numpy as np
import torch
import torch.nn as nn

# everything below is made on the accelerator when there is one
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.set_default_device(device)


def load_series(n=600, seed=0):
    """Noisy sum of sines, as a numpy array like the ones np.load gives."""
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    y = np.sin(t / 9) + 0.5 * np.sin(t / 23) + 0.1 * rng.standard_normal(n)
    return y.astype(np.float32)


def windows(series, length=24, horizon=4):
    x, y = [], []
    for s in range(len(series) - length - horizon):
        x.append(series[s:s + length])
        y.append(series[s + length:s + length + horizon])
    return torch.from_numpy(np.stack(x)).to(device), torch.from_numpy(np.stack(y)).to(device)


class Forecaster(nn.Module):
    def __init__(self, length=24, horizon=4, hidden=64):
        super().__init__()
        self.seasonal = nn.Linear(length, horizon)
        self.residual = nn.Sequential(nn.Linear(length, hidden), nn.ReLU(), nn.Linear(hidden, horizon))

    def forward(self, x):
        centre = x.mean(dim=1, keepdim=True)
        x = x - centre
        return self.seasonal(x) + self.residual(x) + centre


def iterate(x, y, size):
    order = torch.randperm(len(x)).tolist()
    for s in range(0, len(order) - size + 1, size):
        pick = order[s:s + size]
        yield x[pick], y[pick]


series = load_series()
x, y = windows(series[:500])
x_val, y_val = windows(series[500:])
model = Forecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.HuberLoss()

for epoch in range(3):
    model.train()
    for xb, yb in iterate(x, y, 64):
        optimizer.zero_grad()
        loss = loss_fn(model(xb), yb)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.inference_mode():
        val = loss_fn(model(x_val), y_val)
    print(f"{epoch}: train {loss.item():.4f} val {val.item():.4f}")
