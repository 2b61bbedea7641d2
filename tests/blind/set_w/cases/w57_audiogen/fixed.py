import struct
import numpy as np
import torch
from torch import nn


class Oscillators(nn.Module):
    def __init__(self, n=8, rate=4000):
        super().__init__()
        self.rate = rate
        self.amp = nn.Parameter(torch.rand(n) / n)
        self.freq = nn.Parameter(torch.linspace(50, 400, n))

    def forward(self, seconds):
        t = torch.arange(int(seconds * self.rate), device=self.amp.device) / self.rate
        return (self.amp[:, None] * torch.sin(2 * torch.pi * self.freq[:, None] * t)).sum(0)


def spectrum(x, win=64):
    frames = x.unfold(0, win, win // 2)
    n = torch.arange(win, device=x.device)
    ang = 2 * torch.pi * n[:, None] * n[: win // 2] / win
    return ((frames @ ang.cos()).pow(2) + (frames @ ang.sin()).pow(2) + 1e-6).sqrt()


def host(t):
    t = t.detach()
    return t.cpu() if t.device.type == "cuda" else t


def to_pcm(signal):
    x = host(signal).numpy()
    x = np.clip(x / max(1e-6, np.abs(x).max()), -1, 1)
    return b"".join(struct.pack("<h", int(v * 32767)) for v in x)


class Matcher:
    def __init__(self, device):
        self.synth = Oscillators().to(device)
        self.opt = torch.optim.Adam(self.synth.parameters(), lr=1e-2)

    def fit(self, target, iters):
        ref = spectrum(target)
        for _ in range(iters):
            loss = (spectrum(self.synth(0.1)).log() - ref.log()).abs().mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
m = Matcher(device)
print(m.fit(torch.randn(400, device=device), 3))
print(len(to_pcm(m.synth(0.1))))
