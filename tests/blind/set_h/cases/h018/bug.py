import torch
from torch import nn
import torch.nn.functional as F


class SqueezeExcite(nn.Module):
    """Channel attention; a random subset of gates is switched off while training."""

    def __init__(self, channels, reduction=4, drop=0.2):
        super().__init__()
        self.fc1 = nn.Linear(channels, channels // reduction)
        self.fc2 = nn.Linear(channels // reduction, channels)
        self.drop = drop

    def gates(self, x):
        s = x.mean(dim=(2, 3))
        g = torch.sigmoid(self.fc2(F.relu(self.fc1(s))))
        if self.training and self.drop > 0:
            keep = (torch.rand_like(g) > self.drop).float()
            g.data.mul_(keep / (1 - self.drop))
        return g

    def forward(self, x):
        return x * self.gates(x)[:, :, None, None]


class SEBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.GroupNorm(4, channels)
        self.se = SqueezeExcite(channels)

    def forward(self, x):
        return x + self.se(F.silu(self.norm(self.conv(x))))


def build(channels=16, depth=2, classes=5):
    layers = [nn.Conv2d(3, channels, 3, stride=2, padding=1)]
    layers += [SEBlock(channels) for _ in range(depth)]
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes)]
    return nn.Sequential(*layers)


def train(steps=8):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = build().to(device).train()
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for step in range(steps):
        images = torch.rand(8, 3, 16, 16, device=device)
        labels = torch.randint(0, 5, (8,), device=device)
        loss = F.cross_entropy(model(images), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 4 == 0:
            print(step, loss.item())
    return model


if __name__ == "__main__":
    train()
