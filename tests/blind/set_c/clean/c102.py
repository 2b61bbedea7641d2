import math

import torch
from torch import nn


class TemperatureScaler(nn.Module):
    """Scalars made on the host and combined with the logits elementwise."""

    def __init__(self, floor=0.05):
        super().__init__()
        self.log_t = nn.Parameter(torch.zeros(()))
        self.floor = torch.tensor(floor)

    def forward(self, logits, target):
        t = self.log_t.exp() + self.floor
        scaled = logits / t
        half = torch.tensor(0.5)
        smooth = scaled * half + scaled.detach() * (1 - half)
        loss = nn.functional.cross_entropy(smooth, target)
        return loss + torch.tensor(1e-4) * self.log_t.pow(2)


def expected_calibration_error(probs, target, bins=10):
    conf, pred = probs.max(dim=1)
    hit = pred.eq(target).float()
    ece = torch.tensor(0.0)
    for i in range(bins):
        inside = (conf > i / bins) & (conf <= (i + 1) / bins)
        if inside.any():
            gap = (hit[inside].mean() - conf[inside].mean()).abs()
            ece = ece + gap * inside.float().mean()
    return ece.item() if math.isfinite(ece.item()) else 0.0
