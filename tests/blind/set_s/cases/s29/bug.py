import torch
import torch.nn as nn


class LockedDropout:
    """One dropout mask for all time steps of a sequence."""

    def __init__(self, p):
        self.p = p

    def sample(self, batch, dim, like):
        keep = torch.rand(batch, dim, device=like.device, dtype=like.dtype) >= self.p
        return keep.to(like.dtype) / (1 - self.p)


class ElmanCell(nn.Module):
    def __init__(self, inp, hidden):
        super().__init__()
        self.ih = nn.Linear(inp, hidden)
        self.hh = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x, h, mask=None):
        h = torch.tanh(self.ih(x) + self.hh(h))
        if mask is not None:
            h.data.mul_(mask)
        return h


class ElmanEncoder(nn.Module):
    def __init__(self, inp, hidden, p=0.3):
        super().__init__()
        self.cell = ElmanCell(inp, hidden)
        self.dropout = LockedDropout(p)
        self.hidden = hidden

    def forward(self, x, lengths=None):
        batch, steps, _ = x.shape
        h = x.new_zeros(batch, self.hidden)
        mask = self.dropout.sample(batch, self.hidden, x) if self.training else None
        outputs = []
        for t in range(steps):
            h = self.cell(x[:, t], h, mask)
            outputs.append(h)
        out = torch.stack(outputs, dim=1)
        if lengths is None:
            return out, h
        last = (lengths - 1).view(-1, 1, 1).expand(-1, 1, self.hidden)
        return out, out.gather(1, last).squeeze(1)
