import torch
from torch import nn


class SpeakerNet(nn.Module):
    def __init__(self, n_speakers, d=16):
        super().__init__()
        self.frame = nn.Sequential(nn.Conv1d(12, d, 5, padding=2), nn.ReLU(), nn.Conv1d(d, d, 3, padding=1), nn.ReLU())
        self.norm = nn.LayerNorm(2 * d)
        self.head = nn.Linear(2 * d, n_speakers)

    def embed(self, x):
        h = self.frame(x)
        return self.norm(torch.cat([h.mean(-1), h.std(-1)], dim=1))

    def forward(self, x):
        return self.head(self.embed(x))

    def new_head(self, n_speakers):
        self.head = nn.Linear(self.head.in_features, n_speakers).to(self.head.weight.device)
        return self
