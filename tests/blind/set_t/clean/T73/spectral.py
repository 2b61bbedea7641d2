import math
import torch
from torch import nn


def dft_kernels(n):
    k = torch.arange(n // 2 + 1).unsqueeze(1)
    t = torch.arange(n)
    angle = 2 * math.pi * k * t / n
    return torch.stack([angle.cos(), angle.sin()]) * torch.hann_window(n)


class Spectrogram(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.hop = n // 4
        kernels = dft_kernels(n)
        self.register_buffer("kernels", kernels.flatten(0, 1).unsqueeze(1), persistent=False)

    def forward(self, x):
        re, im = nn.functional.conv1d(x, self.kernels, stride=self.hop).chunk(2, dim=1)
        return (re.square() + im.square()).clamp(min=1e-7).sqrt()


class MultiResolution(nn.Module):
    def __init__(self, sizes=(16, 32, 64)):
        super().__init__()
        self.specs = nn.ModuleList(map(Spectrogram, sizes))

    def forward(self, a, b):
        total = a.new_zeros(())
        for spec in self.specs:
            x, y = spec(a), spec(b)
            total += (x - y).norm() / y.norm() + (x.log() - y.log()).abs().mean()
        return total / len(self.specs)
