import torch
import torch.nn as nn
import torch.nn.functional as F


class Fourier(nn.Module):
    """Trained frequencies, started at the powers of two."""

    def __init__(self, n_freq, include_input=True):
        super().__init__()
        self.include_input = include_input
        bands = 2 ** torch.arange(n_freq)
        self.bands = nn.Parameter(bands)
        self.n_out = 2 * n_freq + int(include_input)

    def forward(self, x):
        angle = x.unsqueeze(-1) * self.bands
        parts = [angle.sin(), angle.cos()]
        if self.include_input:
            parts.append(x.unsqueeze(-1))
        return torch.cat(parts, dim=-1).flatten(1)


class Field(nn.Module):
    def __init__(self, n_in=2, n_freq=4, width=32):
        super().__init__()
        self.encode = Fourier(n_freq)
        self.net = nn.Sequential(
            nn.Linear(n_in * self.encode.n_out, width), nn.ReLU(), nn.Linear(width, 3), nn.Sigmoid()
        )

    def forward(self, xy):
        return self.net(self.encode(xy))


def picture(xy):
    return torch.stack([xy[:, 0], xy[:, 1], (xy[:, 0] * 6).sin().abs()], dim=1)


def main(steps=5):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    field = Field().to(device)
    optimizer = torch.optim.Adam(field.parameters(), lr=5e-3)
    for step in range(steps):
        xy = torch.rand(64, 2, device=device)
        loss = F.mse_loss(field(xy), picture(xy))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{step}: {-10 * torch.log10(loss).item():.2f} dB")


main()
