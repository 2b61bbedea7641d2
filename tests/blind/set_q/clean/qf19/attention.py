import math

import torch
from torch import nn

from base import HasDevice


class MemoryAttention(HasDevice):
    """Self attention that can read extra key/value slots."""

    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.q, self.kv, self.o = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)

    def split(self, t):
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, lengths, prefix=None):
        pad = torch.arange(x.size(1), device=x.device) >= lengths.to(x.device)[:, None]
        k, v = self.kv(x).chunk(2, -1)
        if prefix is not None:
            pk, pv = (p.unsqueeze(0).expand(len(x), -1, -1) for p in prefix)
            k, v = torch.cat([pk, k], 1), torch.cat([pv, v], 1)
            pad = torch.cat([pad.new_zeros(len(x), pk.size(1)), pad], 1)
        q, k, v = map(self.split, (self.q(x), k, v))
        att = q @ k.mT / math.sqrt(q.size(-1))
        att = att + self.zeros(len(x), 1, 1, k.size(2)).masked_fill_(pad[:, None, None], float("-inf"))
        return self.o((att.softmax(-1) @ v).transpose(1, 2).flatten(2))
