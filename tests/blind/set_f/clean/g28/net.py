import torch
from torch import nn


class TextClassifier(nn.Module):
    def __init__(self, vocab=30, d=12, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.out = nn.Linear(d, classes)

    def forward(self, ids):
        mask = (ids != 0).unsqueeze(-1)
        return self.out((self.emb(ids) * mask).sum(1) / mask.sum(1).clamp(min=1))


def collate(items):
    ids = nn.utils.rnn.pad_sequence([i for i, _ in items], batch_first=True)
    return {"ids": ids, "labels": torch.tensor([y for _, y in items])}
