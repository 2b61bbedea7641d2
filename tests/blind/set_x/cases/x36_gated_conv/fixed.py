"""WaveNet-like stack with gated dilated convolutions."""
from typing import Tuple

import torch
from torch import nn
import torch.nn.functional as F


class GatedBlock(nn.Module):
    def __init__(self, channels: int, dilation: int, cond: int):
        super().__init__()
        self.pad = dilation
        self.conv = nn.Conv1d(channels, 2 * channels, 2, dilation=dilation)
        self.cond = nn.Linear(cond, 2 * channels)
        self.res = nn.Conv1d(channels, channels, 1)
        self.skip = nn.Conv1d(channels, channels, 1)

    def _gates(self, x, c) -> Tuple[torch.Tensor, torch.Tensor]:
        h = self.conv(F.pad(x, (self.pad, 0)))
        value, gate = h.chunk(2, dim=1)
        cv, cg = self.cond(c).unsqueeze(-1).chunk(2, dim=1)
        value = value + cv
        gate = gate + cg
        return value, gate

    def forward(self, x, c):
        value, gate = self._gates(x, c)
        y = value.tanh() * gate.sigmoid()
        return x + self.res(y), self.skip(y)


class WaveStack(nn.Module):
    def __init__(self, channels=8, cond=3, depth=3):
        super().__init__()
        self.inp = nn.Conv1d(1, channels, 1)
        self.blocks = nn.ModuleList(GatedBlock(channels, 2 ** i, cond) for i in range(depth))
        self.out = nn.Conv1d(channels, 1, 1)

    def forward(self, x, c):
        h = self.inp(x)
        skips = 0
        for block in self.blocks:
            h, s = block(h, c)
            skips = skips + s
        return self.out(skips.relu())


def main():
    net = WaveStack()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(2):
        wave = torch.randn(4, 1, 40)
        cond = torch.randn(4, 3)
        loss = (net(wave[..., :-1], cond) - wave[..., 1:]).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
