import torch
from torch import nn


class TextCNN(nn.Module):
    def __init__(self, vocab, dim=8, channels=4, sizes=(2, 3), classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.convs = nn.ModuleList(nn.Conv1d(dim, channels, k) for k in sizes)
        self.sizes, self.channels = sizes, channels
        self.drop = nn.Dropout(0.5)
        self.fc = nn.Linear(channels * len(sizes), classes)

    def forward(self, ids):
        e = self.emb(ids).transpose(1, 2)
        pooled = []
        for conv in self.convs:
            pooled.append(torch.relu(conv(e)).amax(dim=-1))
        return self.fc(self.drop(torch.cat(pooled, dim=1)))


def freeze_embeddings(model):
    model.emb.weight.requires_grad_(False)
    return [p for p in model.parameters() if p.requires_grad]
