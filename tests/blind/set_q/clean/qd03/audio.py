import math

import torch
import torch.nn as nn


def synth(kind, n):
    t = torch.arange(n) / 1000.0
    f = (50, 120, 210)[kind]
    return torch.sin(2 * math.pi * f * t) + 0.1 * torch.randn(n), kind


def mel_bank(n_mels, n_fft, sr):
    mel = torch.linspace(0, 2595 * math.log10(1 + sr / 2 / 700), n_mels + 2)
    hz = 700 * (10 ** (mel / 2595) - 1)
    freqs = torch.linspace(0, sr / 2, n_fft // 2 + 1)
    up = (freqs[:, None] - hz[None, :-2]) / (hz[1:-1] - hz[:-2])
    down = (hz[None, 2:] - freqs[:, None]) / (hz[2:] - hz[1:-1])
    return torch.minimum(up, down).clamp_(min=0)


class LogMel(nn.Module):
    def __init__(self, n_mels=12, n_fft=64, hop=32, sr=1000):
        super().__init__()
        self.n_mels, self.n_fft, self.hop = n_mels, n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft), persistent=False)
        self.register_buffer("fb", mel_bank(n_mels, n_fft, sr), persistent=False)

    def frames(self, lens):
        return torch.div(lens, self.hop, rounding_mode="floor") + 1

    def forward(self, wave):
        frames = torch.nn.functional.pad(wave, (self.n_fft // 2, self.n_fft // 2)).unfold(1, self.n_fft, self.hop)
        spec = torch.fft.rfft(frames * self.window).abs() ** 2
        return (spec @ self.fb + 1e-6).log()


class SpecAugment:
    def __init__(self, width=4):
        self.width = width

    def __call__(self, feats):
        b, t, m = feats.shape
        start = torch.randint(0, t - self.width, (b, 1), device=feats.device)
        pos = torch.arange(t, device=feats.device)
        mask = (pos >= start) & (pos < start + self.width)
        return feats.masked_fill_(mask.unsqueeze(-1), 0.0)
