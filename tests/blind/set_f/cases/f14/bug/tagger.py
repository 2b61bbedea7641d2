from torch import nn
import torch.nn.functional as F


class Tagger(nn.Module):
    def __init__(self, vocab, tags, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.enc = nn.LSTM(dim, dim, bidirectional=True, batch_first=True)
        self.out = nn.Linear(2 * dim, tags)

    def forward(self, words):
        return self.out(self.enc(self.emb(words))[0])

    def loss(self, batch):
        nll = F.cross_entropy(self(batch.words).transpose(1, 2), batch.tags, reduction="none")
        return (nll * batch.mask).sum() / batch.mask.sum()
