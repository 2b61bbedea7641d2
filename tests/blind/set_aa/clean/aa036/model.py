import torch
import torch.nn as nn


class FiLM(nn.Module):
    def __init__(self, cond, ch):
        super().__init__()
        self.to_scale, self.to_shift = nn.Linear(cond, ch), nn.Linear(cond, ch)

    def forward(self, h, c):
        return h * (1 + self.to_scale(c)[..., None]) + self.to_shift(c)[..., None]


class ConditionalTCN(nn.Module):
    def __init__(self, ch=16, cond=4, levels=3):
        super().__init__()
        self.inp = nn.Conv1d(1, ch, 1)
        self.convs = nn.ModuleList(nn.Conv1d(ch, ch, 3, padding=2 ** i, dilation=2 ** i) for i in range(levels))
        self.films = nn.ModuleList(FiLM(cond, ch) for _ in range(levels))
        self.out = nn.Conv1d(ch, 1, 1)

    def forward(self, x, c):
        h = self.inp(x)
        for conv, film in zip(self.convs, self.films):
            h = h + torch.tanh(film(conv(h), c))
        return self.out(h)
