import torch
from torch import nn
import torch.nn.functional as F


class SentenceEncoder(nn.Module):
    def __init__(self, vocab=80, dim=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        layer = nn.TransformerEncoderLayer(dim, 2, 48, dropout=0.0, batch_first=True)
        self.transformer = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)

    @property
    def device(self):
        return self.embed.weight.device

    def forward(self, ids):
        keep = (ids != 0).unsqueeze(-1)
        hidden = self.transformer(self.embed(ids))
        return (hidden * keep).sum(1) / keep.sum(1).clamp(min=1)

    @staticmethod
    def pad(texts):
        rows = [torch.tensor([1 + ord(c) % 79 for c in t]) for t in texts]
        return nn.utils.rnn.pad_sequence(rows, batch_first=True)

    @torch.no_grad()
    def encode(self, texts):
        return F.normalize(self(self.pad(texts).to(self.device)), dim=-1)
