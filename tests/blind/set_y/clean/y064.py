import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class FourierFeatures(nn.Module):
    def __init__(self, n_in, n_freq, scale=3.0):
        super().__init__()
        rng = np.random.default_rng(0)
        b = rng.normal(0, scale, size=(n_in, n_freq)).astype(np.float32)
        self.register_buffer("b", torch.tensor(b))

    def forward(self, x):
        proj = x @ self.b
        return torch.cat([proj.sin(), proj.cos()], dim=-1)


def image_coords(size):
    lin = torch.linspace(-1, 1, size)
    return torch.stack(torch.meshgrid(lin, lin, indexing="ij"), dim=-1).reshape(-1, 2)


def psnr(mse):
    return -10 * np.log10(mse)


with device:
    model = nn.Sequential(FourierFeatures(2, 16), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3), nn.Sigmoid())
    coords = image_coords(12)
    weights = torch.ones(len(coords))

pixels = np.random.default_rng(1).random((144, 3), dtype=np.float32)
target = torch.from_numpy(pixels).to(device)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(6):
    pick = torch.randint(len(coords), (48,))
    pred = model(coords[pick])
    loss = (weights[pick, None] * (pred - target[pick]) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"psnr {psnr(loss.item()):.2f}")
with torch.no_grad():
    picture = model(coords).reshape(12, 12, 3).cpu().numpy()
print(picture.shape, picture.dtype)
