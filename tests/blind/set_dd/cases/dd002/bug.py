"""Keyword spotting with a log-mel front end that lives inside the network."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class AudioConfig:
    sample_rate: int = 8000
    n_fft: int = 256
    hop: int = 128
    n_mels: int = 20
    n_classes: int = 6


def hz_to_mel(f):
    return 2595.0 * math.log10(1.0 + f / 700.0)


def mel_filters(cfg):
    n_freq = cfg.n_fft // 2 + 1
    mels = torch.linspace(0.0, hz_to_mel(cfg.sample_rate / 2), cfg.n_mels + 2)
    hz = 700.0 * (10 ** (mels / 2595.0) - 1.0)
    freqs = torch.linspace(0, cfg.sample_rate / 2, n_freq)
    up = (freqs[None] - hz[:-2, None]) / (hz[1:-1] - hz[:-2])[:, None]
    down = (hz[2:, None] - freqs[None]) / (hz[2:] - hz[1:-1])[:, None]
    return torch.minimum(up, down).clamp(min=0).t()


class LogMel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.register_buffer("window", torch.hann_window(cfg.n_fft))
        self.fbank = mel_filters(cfg)

    def forward(self, wav):
        frames = wav.unfold(-1, self.cfg.n_fft, self.cfg.hop) * self.window
        power = torch.fft.rfft(frames, dim=-1).abs().pow(2)
        mel = power @ self.fbank
        return (mel + 1e-6).log().transpose(1, 2)


class KeywordNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.frontend = LogMel(cfg)
        self.body = nn.Sequential(
            nn.Conv1d(cfg.n_mels, 32, 5, padding=2), nn.BatchNorm1d(32), nn.ReLU(inplace=True),
            nn.Conv1d(32, 32, 5, padding=2), nn.BatchNorm1d(32), nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        )
        self.head = nn.Linear(32, cfg.n_classes)

    def forward(self, wav):
        return self.head(self.body(self.frontend(wav)))


def run():
    cfg = AudioConfig()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = KeywordNet(cfg).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for step in range(3):
        wav = torch.randn(4, 4000, device=device)
        target = torch.randint(cfg.n_classes, (4,), device=device)
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(net(wav), target)
        loss.backward()
        optimizer.step()
    print("final", loss.item())


run()
