import torch
from torch import nn


class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qk = nn.Linear(d, 2 * d)
        self.act = nn.ReLU(inplace=True)
        self.out = nn.Linear(d, d)

    def forward(self, x, mask):
        q, k = self.qk(x).chunk(2, dim=-1)
        scores = q @ k.transpose(1, 2)
        scores /= q.size(-1) ** 0.5
        scores.masked_fill_(mask.unsqueeze(1) == 0, -1e9)
        h = scores.softmax(-1) @ x
        h += x
        return self.act(self.out(h))
