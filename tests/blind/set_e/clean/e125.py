import torch
from torch import nn


class Table(nn.Module):
    """Embedding table that grows with its vocabulary; row 0 is for unknown words."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.vocab = {}
        self.weight = nn.Parameter(torch.zeros(1, dim))
        self.register_buffer("counts", torch.zeros(1, dtype=torch.long))

    def grow(self, words):
        fresh = [w for w in words if w not in self.vocab]
        for w in fresh:
            self.vocab[w] = len(self.vocab) + 1
        if fresh:
            rows = torch.randn(len(fresh), self.dim, device=self.weight.device) * 0.1
            self.weight = nn.Parameter(torch.cat([self.weight.detach(), rows]))
            self.counts = torch.cat([self.counts, self.counts.new_zeros(len(fresh))])
        return len(fresh)

    def ids(self, words):
        return torch.tensor([self.vocab.get(w, 0) for w in words], device=self.weight.device)

    def forward(self, words):
        idx = self.ids(words)
        if self.training:
            self.counts.scatter_add_(0, idx, torch.ones_like(idx))
        return self.weight[idx]


def train(table, sentences, epochs=2, lr=0.1):
    table.grow([w for s in sentences for w in s])
    optimizer = torch.optim.SGD(table.parameters(), lr=lr)
    for _ in range(epochs):
        for words in sentences:
            vectors = table(words)
            loss = (vectors[1:] - vectors[:-1]).pow(2).sum(-1).mean() - 0.1 * vectors.norm(dim=-1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return {w: table.weight[i].detach().cpu().numpy() for w, i in table.vocab.items()}
