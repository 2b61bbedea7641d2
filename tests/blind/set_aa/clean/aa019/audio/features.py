import math

import torch
import torch.nn as nn


def mel_matrix(n_freq, n_mel, sr):
    hz = torch.linspace(0, sr / 2, n_freq)
    top = 2595 * math.log10(1 + sr / 2 / 700)
    pts = 700 * (10 ** (torch.linspace(0, top, n_mel + 2) / 2595) - 1)
    slopes = pts[None] - hz[:, None]
    step = pts[1:] - pts[:-1]
    down, up = -slopes[:, :-2] / step[:-1], slopes[:, 2:] / step[1:]
    return torch.minimum(down, up).clamp(min=0)


class LogMel(nn.Module):
    """Fixed front end: its tables follow the module but stay out of the checkpoint."""

    def __init__(self, n_fft=64, n_mel=10, sr=8000):
        super().__init__()
        self.n_fft = n_fft
        self.tables = {
            "window": torch.hann_window(n_fft),
            "mel": mel_matrix(n_fft // 2 + 1, n_mel, sr),
        }
        k = torch.arange(n_fft // 2 + 1)[:, None] * torch.arange(n_fft)[None] * (2 * math.pi / n_fft)
        self.tables["cos"], self.tables["sin"] = k.cos().t(), k.sin().t()

    def _apply(self, fn, *args, **kwargs):
        super()._apply(fn, *args, **kwargs)
        self.tables = {name: fn(t) for name, t in self.tables.items()}
        return self

    def forward(self, wave):
        tb = self.tables
        frames = wave.unfold(-1, self.n_fft, self.n_fft // 2) * tb["window"]
        power = (frames @ tb["cos"]) ** 2 + (frames @ tb["sin"]) ** 2
        return (power @ tb["mel"] + 1e-6).log()
