import torch
import torch.nn as nn


class FrozenEncoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocab, dim)
        self.proj = nn.Linear(dim, dim)

    @torch.no_grad()
    def encode(self, docs, batch_size=8):
        self.eval()
        parts = [torch.tanh(self.proj(self.embed(docs[i:i + batch_size]))) for i in range(0, len(docs), batch_size)]
        return torch.cat(parts)


class EmbeddingStore:
    """Embeds every document once and hands out batches of the result."""

    def __init__(self, encoder, docs, labels):
        self.vectors = encoder.encode(docs)
        self.labels = labels

    def batches(self, size):
        yield from zip(self.vectors.split(size), self.labels.split(size))
