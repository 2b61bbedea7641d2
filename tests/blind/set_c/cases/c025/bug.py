import torch
from torch import nn


class Chomp(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        return x[..., : -self.size].contiguous() if self.size else x


class TemporalBlock(nn.Module):
    def __init__(self, c_in, c_out, kernel, dilation):
        super().__init__()
        pad = (kernel - 1) * dilation
        self.net = nn.Sequential(
            nn.Conv1d(c_in, c_out, kernel, padding=pad, dilation=dilation), Chomp(pad), nn.ReLU(), nn.Dropout(0.1)
        )
        self.skip = nn.Conv1d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(self, x):
        return torch.relu(self.net(x) + self.skip(x))


class MultiScaleTCN(nn.Module):
    def __init__(self, channels, kernels, width, classes=3):
        super().__init__()
        self.branches = {f"k{k}": TemporalBlock(channels, width, k, 2) for k in kernels}
        self.norm = nn.BatchNorm1d(width * len(kernels))
        self.fc = nn.Linear(width * len(kernels), classes)

    def forward(self, x):
        h = torch.cat([branch(x) for branch in self.branches.values()], dim=1)
        return self.fc(self.norm(h).mean(-1))
