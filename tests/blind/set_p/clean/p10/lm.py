import torch.nn as nn


class CharLM(nn.Module):
    def __init__(self, vocab, dim=16, hidden=24, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, hidden, layers, batch_first=True)
        self.head = nn.Linear(hidden, vocab)
        self.hidden, self.layers = hidden, layers

    def start(self, batch):
        w = self.head.weight
        shape = (self.layers, batch, self.hidden)
        return w.new_zeros(shape), w.new_zeros(shape)

    def forward(self, ids, state):
        out, state = self.rnn(self.embed(ids), state)
        return self.head(out), state


def repackage(state):
    if isinstance(state, tuple):
        return tuple(repackage(s) for s in state)
    return state.detach()
