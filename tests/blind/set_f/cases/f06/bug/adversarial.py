import torch
from torch.nn.functional import binary_cross_entropy_with_logits as bce


class SmoothLabels:
    def __init__(self, low=0.0, high=0.9):
        self.low, self.high = low, high

    def real(self, logits):
        return torch.full((logits.shape[0],), self.high)

    def fake(self, logits):
        return torch.full_like(logits, self.low)


class GANObjective:
    def __init__(self, labels=None):
        self.labels = labels or SmoothLabels()

    def critic(self, on_real, on_fake):
        return bce(on_real, self.labels.real(on_real)) + bce(on_fake, self.labels.fake(on_fake))

    def generator(self, on_fake):
        return bce(on_fake, self.labels.real(on_fake))
