import torch
from torch import nn

from layers import make_encoders


class TabularNet(nn.Module):
    def __init__(self, spec, dim=12, num_outputs=1, dropout=0.1):
        super().__init__()
        self.columns = list(spec)
        self.encoders = make_encoders(spec, dim)
        self.mixer = nn.Sequential(
            nn.Linear(dim * len(spec), 24),
            nn.GELU(),
            nn.Dropout(dropout),
        )
        self.head = nn.Linear(24, num_outputs)

    def encode(self, batch):
        return torch.cat([self.encoders[c](batch[c]) for c in self.columns], dim=-1)

    def forward(self, batch):
        return self.head(self.mixer(self.encode(batch))).squeeze(-1)
