import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class FourierNet(nn.Module):
    def __init__(self, coords=3, bands=4, hidden=32, out=2):
        super().__init__()
        self.register_buffer("freqs", 2.0 ** torch.arange(bands) * math.pi)
        self.net = nn.Sequential(
            nn.Linear(coords * bands * 2, hidden), nn.ReLU(), nn.Linear(hidden, out)
        )

    def forward(self, x):
        angles = (x[..., None] * self.freqs).flatten(1)
        return self.net(torch.cat([angles.sin(), angles.cos()], dim=1))


def psnr(mse):
    return -10 * math.log10(max(mse, 1e-10))


def train(model, loader, optimizer, device):
    model.train()
    total = 0.0
    for coords, values in loader:
        coords, values = coords.to(device), values.to(device)
        loss = nn.functional.mse_loss(model(coords), values)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def test(model, loader, device):
    model.eval()
    total = 0.0
    for coords, values in loader:
        out = model(coords.to(device))
        total += nn.functional.mse_loss(out, values.to(device)).item()
    return total / len(loader)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
coords = torch.rand(160, 3)
values = torch.stack([coords.sum(1).sin(), coords.prod(1)], dim=1)
loader = DataLoader(TensorDataset(coords[:128], values[:128]), batch_size=32, shuffle=True)
held_out = DataLoader(TensorDataset(coords[128:], values[128:]), batch_size=32)
model = FourierNet().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)

for epoch in range(4):
    train_mse = train(model, loader, optimizer, device)
    scheduler.step()
    print(f"{epoch} train {psnr(train_mse):.2f} dB test {psnr(test(model, held_out, device)):.2f} dB")
