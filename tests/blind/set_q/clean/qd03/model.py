import torch
import torch.nn as nn


class KeywordNet(nn.Module):
    def __init__(self, mels, classes):
        super().__init__()
        self.conv = nn.Conv1d(mels, 24, 3, padding=1)
        self.att = nn.Linear(24, 1)
        self.out = nn.Linear(24, classes)

    def forward(self, x, frames):
        h = torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        pad = torch.arange(h.size(1), device=h.device)[None] >= frames[:, None]
        w = self.att(h).squeeze(-1).masked_fill(pad, float("-inf")).softmax(1)
        return self.out((w.unsqueeze(-1) * h).sum(1))
