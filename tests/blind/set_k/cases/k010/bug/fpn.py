import torch.nn as nn
import torch.nn.functional as F


class PyramidNeck(nn.Module):
    def __init__(self, in_channels, dim):
        super().__init__()
        self.dim = dim
        self.smooth = nn.ModuleList(nn.Conv2d(dim, dim, 3, padding=1) for _ in in_channels)

    def lateral(self, feat):
        channels = feat.shape[1]
        if channels == self.dim:
            return feat
        return nn.Conv2d(channels, self.dim, 1, bias=False)(feat)

    def forward(self, feats):
        feats = [self.lateral(f) for f in feats]
        out = [feats[-1]]
        for f in reversed(feats[:-1]):
            out.insert(0, f + F.interpolate(out[0], size=f.shape[-2:]))
        return [conv(f) for conv, f in zip(self.smooth, out)]
