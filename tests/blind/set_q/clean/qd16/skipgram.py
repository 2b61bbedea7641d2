import torch
import torch.nn as nn
import torch.nn.functional as F


class SkipGram(nn.Module):
    def __init__(self, n, dim, noise, negatives=4):
        super().__init__()
        self.inp, self.out = nn.Embedding(n, dim, sparse=True), nn.Embedding(n, dim, sparse=True)
        with torch.no_grad():
            self.inp.weight.uniform_(-0.5, 0.5).div_(dim)
            self.out.weight.zero_()
        self.register_buffer("noise", noise)
        self.negatives = negatives

    def forward(self, c, o):
        neg = torch.multinomial(self.noise, len(c) * self.negatives, replacement=True).view(len(c), -1)
        v = self.inp(c)
        pos = (v * self.out(o)).sum(-1)
        bad = (self.out(neg) @ v.unsqueeze(-1)).squeeze(-1)
        return -(F.logsigmoid(pos) + F.logsigmoid(-bad).sum(-1)).mean()
