import torch
from torch import nn


class GatedConv(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, 2 * channels, 3, padding=dilation, dilation=dilation)
        self.proj = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        value, gate = self.conv(x).chunk(2, dim=1)
        value *= torch.sigmoid(gate)
        return x + self.proj(value)


class WaveNetLite(nn.Module):
    def __init__(self, channels=8, layers=3):
        super().__init__()
        self.inp = nn.Conv1d(1, channels, 1)
        self.stack = nn.Sequential(*(GatedConv(channels, 2 ** i) for i in range(layers)))
        self.out = nn.Conv1d(channels, 1, 1)

    def forward(self, wav):
        return self.out(self.stack(self.inp(wav)))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = WaveNetLite().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
t = torch.linspace(0, 6.28, 64, device=device)

for step in range(4):
    phase = torch.rand(8, 1, device=device) * 6.28
    wav = torch.sin(4 * t + phase).unsqueeze(1)
    noisy = wav + 0.1 * torch.randn_like(wav)
    loss = nn.functional.l1_loss(model(noisy), wav)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{step}: {loss.item():.4f}")
