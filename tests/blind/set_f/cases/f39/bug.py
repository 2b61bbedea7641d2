"""Encodes a corpus once and answers queries from it."""
from typing import Iterable, List

import torch
from torch import nn


class BagEncoder(nn.Module):
    def __init__(self, vocab=50, dim=16):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, dim))

    def forward(self, ids):
        return nn.functional.normalize(self.mlp(self.bag(ids)), dim=-1)


class Index:
    def __init__(self, encoder: BagEncoder, chunk: int = 4):
        self.encoder = encoder
        self.chunk = chunk
        self.vectors = None
        self.docs: List[torch.Tensor] = []

    def _device(self):
        return next(self.encoder.parameters()).device

    def build(self, docs: Iterable[torch.Tensor]):
        self.encoder.eval()
        self.docs = list(docs)
        parts = []
        for i in range(0, len(self.docs), self.chunk):
            ids = torch.stack(self.docs[i : i + self.chunk]).to(self._device())
            parts.append(self.encoder(ids))
        self.vectors = torch.cat(parts)
        return self

    def search(self, query: torch.Tensor, k: int = 3):
        self.encoder.eval()
        q = self.encoder(query.to(self._device()).unsqueeze(0))
        score, where = (q @ self.vectors.T).squeeze(0).topk(min(k, len(self.docs)))
        return list(zip(where.tolist(), score.tolist()))
