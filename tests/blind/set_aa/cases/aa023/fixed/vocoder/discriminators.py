import torch.nn as nn


class ScaleDiscriminator(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stack = nn.ModuleList([
            nn.Conv1d(1, width, 15, padding=7),
            nn.Conv1d(width, width, 5, stride=2, padding=2),
            nn.Conv1d(width, 1, 3, padding=1),
        ])

    def forward(self, x):
        feats = []
        for conv in self.stack:
            x = conv(x)
            feats.append(x)
            x = nn.functional.leaky_relu(x, 0.1)
        return feats[-1].flatten(1), feats[:-1]


class MultiScale(nn.Module):
    """One discriminator on the raw wave and some on pooled copies."""

    def __init__(self, factors=(1, 2, 4)):
        super().__init__()
        self.pool = nn.AvgPool1d(2)
        self.full = ScaleDiscriminator()
        self.pooled = nn.ModuleDict({str(f): ScaleDiscriminator() for f in factors if f > 1})

    def forward(self, wave):
        outs = [self.full(wave)]
        for disc in self.pooled.values():
            wave = self.pool(wave)
            outs.append(disc(wave))
        return outs
