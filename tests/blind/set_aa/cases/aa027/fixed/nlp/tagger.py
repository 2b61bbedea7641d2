import torch.nn as nn

from .seq import run_packed


class Tagger(nn.Module):
    def __init__(self, vocab, tags, dim=16, hidden=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, hidden, bidirectional=True, batch_first=True)
        self.out = nn.Linear(2 * hidden, tags)

    def forward(self, batch):
        h = run_packed(self.rnn, self.embed(batch["ids"]), batch["lengths"])
        return self.out(h)
