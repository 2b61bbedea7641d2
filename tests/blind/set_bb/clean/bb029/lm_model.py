import torch
import torch.nn as nn


class RNNModel(nn.Module):
    """Word language model, LSTM or GRU."""

    def __init__(self, kind, ntoken, nhid, nlayers=1, tie=True):
        super().__init__()
        self.kind, self.nhid, self.nlayers = kind, nhid, nlayers
        self.drop = nn.Dropout(0.1)
        self.encoder = nn.Embedding(ntoken, nhid)
        self.rnn = getattr(nn, kind)(nhid, nhid, nlayers)
        self.decoder = nn.Linear(nhid, ntoken)
        if tie:
            self.decoder.weight = self.encoder.weight

    def forward(self, ids, hidden):
        out, hidden = self.rnn(self.drop(self.encoder(ids)), hidden)
        return self.decoder(self.drop(out)).flatten(0, 1), hidden

    def init_hidden(self, bsz):
        w = next(self.parameters())
        if self.kind == "LSTM":
            return w.new_zeros(self.nlayers, bsz, self.nhid), w.new_zeros(self.nlayers, bsz, self.nhid)
        return w.new_zeros(self.nlayers, bsz, self.nhid)


def repackage(h):
    if torch.is_tensor(h):
        return h.detach()
    return tuple(repackage(v) for v in h)
