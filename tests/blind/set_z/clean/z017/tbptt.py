import torch
from torch import nn


def repackage(h):
    """Cut the states from their history."""
    if h is None:
        return None
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage(v) for v in h)


class StatefulTagger(nn.Module):
    def __init__(self, vocab, tags, dim=12, layers=2):
        super().__init__()
        self.dim, self.layers = dim, layers
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim, layers, batch_first=True)
        self.out = nn.Linear(dim, tags)

    def init_hidden(self, n):
        w = next(self.parameters())
        return (w.new_zeros(self.layers, n, self.dim), w.new_zeros(self.layers, n, self.dim))

    def forward(self, ids, hidden):
        y, hidden = self.rnn(self.emb(ids), hidden)
        return self.out(y), hidden


class ChunkTrainer:
    """Back-propagates through `span` chunks at a time."""

    def __init__(self, model, optimizer, criterion, span=2):
        self.model, self.optimizer, self.criterion, self.span = model, optimizer, criterion, span

    def run(self, chunks, batch):
        hidden = self.model.init_hidden(batch)
        pending, values = [], []
        for i, (ids, tags) in enumerate(chunks):
            logits, hidden = self.model(ids, hidden)
            pending.append(self.criterion(logits.flatten(0, 1), tags.flatten()))
            if len(pending) == self.span:
                values.append(self._flush(pending))
                pending = []
                hidden = repackage(hidden)
        if pending:
            values.append(self._flush(pending))
        return values

    def _flush(self, pending):
        loss = torch.stack(pending).mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()
