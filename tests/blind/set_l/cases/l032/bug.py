import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class PooledAttention(nn.Module):
    """Attention pooling over a padded sequence, with attention dropout of whole positions."""

    def __init__(self, dim, p=0.1):
        super().__init__()
        self.query = nn.Parameter(torch.randn(dim) / math.sqrt(dim))
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.p = p

    def weights(self, h, mask):
        scores = self.key(h) @ self.query
        attn = scores.masked_fill(~mask, -1e9).softmax(-1)
        if self.training:
            keep = (torch.rand_like(attn) > self.p).float()
            attn *= keep
        return attn

    def forward(self, h, mask):
        attn = self.weights(h, mask)
        return torch.einsum("bn,bnd->bd", attn, self.value(h))


class Reviewer(nn.Module):
    def __init__(self, vocab, dim=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim // 2, batch_first=True, bidirectional=True)
        self.pool = PooledAttention(dim)
        self.fc = nn.Linear(dim, 1)

    def forward(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return self.fc(self.pool(h, ids != 0)).squeeze(1)


def batches(n, vocab=40):
    for _ in range(n):
        ids = torch.randint(1, vocab, (8, 12))
        lengths = torch.randint(3, 13, (8, 1))
        ids = ids.masked_fill(torch.arange(12) >= lengths, 0)
        yield ids, (ids[:, 0] > vocab // 2).float()


def train(model, epochs=2):
    optim = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        model.train()
        for ids, y in batches(4):
            loss = F.binary_cross_entropy_with_logits(model(ids), y)
            optim.zero_grad()
            loss.backward()
            optim.step()
        print(epoch, loss.item())


train(Reviewer(40))
