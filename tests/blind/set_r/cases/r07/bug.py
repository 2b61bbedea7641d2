from dataclasses import dataclass, field

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Settings:
    channels: int = 6
    steps: int = 3
    lr: float = 1e-3
    device: torch.device = field(default_factory=lambda: torch.device("cuda" if torch.cuda.is_available() else "cpu"))


class Denoiser(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(1, channels, 5, padding=2), nn.SiLU(), nn.Conv1d(channels, 1, 5, padding=2)
        )

    def forward(self, x):
        return x - self.net(x)


def compute_dtype(model):
    device = next(model.parameters()).device
    if device == torch.device("cuda"):
        return torch.bfloat16
    return torch.float32


settings = Settings()
model = Denoiser(settings.channels).to(settings.device)
dtype = compute_dtype(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=settings.lr)
print("computing in", dtype)

for step in range(settings.steps):
    clean = torch.randn(8, 1, 32, device=settings.device)
    noisy = clean + 0.1 * torch.randn_like(clean)
    compressed = noisy.to(dtype).float()
    loss = F.mse_loss(model(compressed), clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
