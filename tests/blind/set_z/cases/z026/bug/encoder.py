import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class BiGRUEncoder(nn.Module):
    def __init__(self, vocab, dim=12, hidden=10, dropout=0.1):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.drop = nn.Dropout(dropout)
        self.gru = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)

    @property
    def out_dim(self):
        return 2 * self.gru.hidden_size

    def forward(self, tokens, lengths):
        x = self.drop(self.embed(tokens))
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        out, _ = self.gru(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        mask = torch.arange(out.size(1), device=out.device)[None] < lengths[:, None]
        return (out * mask.unsqueeze(-1)).sum(1) / lengths.unsqueeze(1)


class TextClassifier(nn.Module):
    def __init__(self, vocab, classes, **kwargs):
        super().__init__()
        self.encoder = BiGRUEncoder(vocab, **kwargs)
        self.out = nn.Linear(self.encoder.out_dim, classes)

    def forward(self, batch):
        return self.out(self.encoder(batch.tokens, batch.lengths))
