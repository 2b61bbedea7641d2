import torch
from torch import nn


class TinyLM(nn.Module):
    def __init__(self, vocab=40, dim=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.mix = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, vocab)

    def embed(self, ids):
        return self.tok(ids)

    def forward(self, embeds):
        out, _ = self.mix(embeds)
        return self.head(out)
