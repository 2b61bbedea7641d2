import torch
from torch import nn


class ShiftBlock(nn.Module):
    """Temporal shift for video features of shape (batch * frames, channels)."""

    def __init__(self, channels, frames, fold_div=4):
        super().__init__()
        self.frames, self.fold = frames, channels // fold_div
        self.fc = nn.Linear(channels, channels)

    def shift(self, x):
        nt, c = x.shape
        x = x.view(nt // self.frames, self.frames, c)
        out = torch.zeros_like(x)
        out[:, :-1, :self.fold] = x[:, 1:, :self.fold]
        out[:, 1:, self.fold:2 * self.fold] = x[:, :-1, self.fold:2 * self.fold]
        out[:, :, 2 * self.fold:] = x[:, :, 2 * self.fold:]
        return out.view(nt, c)

    def forward(self, x):
        return x + torch.relu(self.fc(self.shift(x)))


class GatedPool(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gate = nn.Linear(channels, 2 * channels)

    def forward(self, x):
        value, gate = self.gate(x).split(x.size(-1), dim=-1)
        gate = gate.clone()
        gate[:, 0] += 1.0
        return (value * gate.sigmoid()).mean(1)


class VideoNet(nn.Module):
    def __init__(self, channels=16, frames=6, classes=4):
        super().__init__()
        self.frames = frames
        self.blocks = nn.Sequential(*(ShiftBlock(channels, frames) for _ in range(2)))
        self.pool, self.cls = GatedPool(channels), nn.Linear(channels, classes)

    def forward(self, video):
        b, t, c = video.shape
        x = self.blocks(video.reshape(b * t, c)).view(b, t, c)
        return self.cls(self.pool(x))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = VideoNet().to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for it in range(3):
    video = torch.randn(8, 6, 16).to(device)
    video[:, 0].mul_(0.5)
    loss = nn.functional.cross_entropy(net(video), torch.randint(4, (8,), device=device))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
