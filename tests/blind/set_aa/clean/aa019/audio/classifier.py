import torch.nn as nn

from .features import LogMel


class KeywordNet(nn.Module):
    def __init__(self, classes=3, n_mel=10):
        super().__init__()
        self.front = LogMel(n_mel=n_mel)
        self.norm = nn.LayerNorm(n_mel)
        self.rnn = nn.GRU(n_mel, 16, batch_first=True)
        self.head = nn.Linear(16, classes)

    def forward(self, wave):
        h, _ = self.rnn(self.norm(self.front(wave)))
        return self.head(h.mean(dim=1))
