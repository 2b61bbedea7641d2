import torch.nn as nn
import torch.nn.functional as F


class PyramidNeck(nn.Module):
    def __init__(self, in_channels, dim):
        super().__init__()
        self.dim = dim
        self.laterals = nn.ModuleList(nn.Identity() if c == dim else nn.Conv2d(c, dim, 1, bias=False) for c in in_channels)
        self.smooth = nn.ModuleList(nn.Conv2d(dim, dim, 3, padding=1) for _ in in_channels)

    def forward(self, feats):
        feats = [lat(f) for lat, f in zip(self.laterals, feats)]
        out = [feats[-1]]
        for f in reversed(feats[:-1]):
            out.insert(0, f + F.interpolate(out[0], size=f.shape[-2:]))
        return [conv(f) for conv, f in zip(self.smooth, out)]
