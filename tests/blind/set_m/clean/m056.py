import numpy as np
import torch
from torch import nn


def pick_device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


class Standardizer:
    """Statistics in double precision on the host, data in float32 on the device."""

    def fit(self, array):
        x = torch.from_numpy(array)
        self.mean = x.mean(0, dtype=torch.float64)
        self.std = x.std(0).double().clamp(min=1e-8)
        return self

    def __call__(self, array, device):
        x = (torch.from_numpy(array) - self.mean) / self.std
        return x.float().to(device)


device = pick_device()
rng = np.random.default_rng(3)
raw = rng.normal(5.0, 3.0, size=(200, 4))
target = raw[:, :1] * 0.5 - raw[:, 1:2]
scale_x, scale_y = Standardizer().fit(raw), Standardizer().fit(target)
x, y = scale_x(raw, device), scale_y(target, device)

model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

model.eval()
with torch.no_grad():
    pred = model(x).cpu().double() * scale_y.std + scale_y.mean
print("MAE", (pred - torch.from_numpy(target)).abs().mean().item())
