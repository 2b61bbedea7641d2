import torch.nn as nn


class ConvEncoder(nn.Module):
    def __init__(self, feats=12, dim=20):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(feats, dim, 3, padding=1), nn.GELU())
        self.context = nn.ModuleList(nn.Conv1d(dim, dim, 3, padding=d, dilation=d) for d in (1, 2, 4))
        self.dim = dim

    def forward(self, x):
        h = self.front(x)
        for conv in self.context:
            h = h + nn.functional.gelu(conv(h))
        return h
