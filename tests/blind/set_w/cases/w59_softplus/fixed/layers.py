from torch import nn
from functions import ClippedLeaky


class Clipped(nn.Module):
    def __init__(self, slope=0.1, limit=6.0):
        super().__init__()
        self.slope, self.limit = slope, limit

    def forward(self, x):
        return ClippedLeaky.apply(x, self.slope, self.limit)


class Temporal(nn.Module):
    def __init__(self, c, k=3, dilations=(1, 2, 4)):
        super().__init__()
        self.inp = nn.Conv1d(1, c, 1)
        self.convs = nn.ModuleList(nn.Conv1d(c, c, k, dilation=d) for d in dilations)
        self.pads = [(k - 1) * d for d in dilations]
        self.act = Clipped()
        self.out = nn.Conv1d(c, 1, 1)

    def forward(self, x):
        h = self.inp(x)
        for conv, pad in zip(self.convs, self.pads):
            h = h + self.act(conv(nn.functional.pad(h, (pad, 0))))
        return self.out(h)
