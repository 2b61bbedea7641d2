import torch
from torch import nn


class StackedGRU(nn.Module):
    def __init__(self, vocab, emb=12, hidden=16, layers=2):
        super().__init__()
        self.layers, self.hidden = layers, hidden
        self.emb = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU(emb, hidden, layers)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x, h):
        y, h = self.rnn(self.emb(x), h)
        return self.out(y), h

    def init_hidden(self, batch):
        w = self.out.weight
        return w.new_zeros(self.layers, batch, self.hidden)
