import torch
from torch import nn


class TransformerTagger(nn.Module):
    def __init__(self, vocab, tags, d=16, heads=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.enc = nn.TransformerEncoderLayer(d, heads, 32, batch_first=True, dropout=0.0)
        self.out = nn.Linear(d, tags)

    def forward(self, tokens, mask):
        h = self.enc(self.emb(tokens), src_key_padding_mask=~mask)
        return self.out(h)
