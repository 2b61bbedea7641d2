import torch
from torch import nn


class Encoder(nn.Module):
    """A frozen sentence encoder."""

    def __init__(self, vocab=80, dim=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layer = nn.TransformerEncoderLayer(dim, 4, 48, batch_first=True, dropout=0.0)

    def forward(self, ids):
        return self.layer(self.emb(ids)).mean(1)


class FeatureStore:
    def __init__(self, encoder, batch=32):
        self.encoder = encoder.eval()
        self.batch = batch
        self._store = {}

    @torch.no_grad()
    def compute(self, ids):
        return torch.cat([self.encoder(chunk) for chunk in ids.split(self.batch)])

    def get(self, split, ids):
        if split not in self._store:
            self._store[split] = self.compute(ids)
        return self._store[split]
