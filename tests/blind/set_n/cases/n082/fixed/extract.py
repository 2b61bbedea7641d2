import torch
from torch import nn


class Frozen:
    def __init__(self, device):
        self.device = device
        self.net = nn.Sequential(nn.Linear(9, 18), nn.ReLU(), nn.Linear(18, 6)).to(device).eval()

    @torch.no_grad()
    def features(self, batches):
        out = [self.net(x.to(self.device)) for x in batches]
        feats = torch.cat(out)
        return (feats - feats.mean(0)) / (feats.std(0) + 1e-6)
