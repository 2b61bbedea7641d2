import torch.nn.functional as F


class Banana:
    def __call__(self, q):
        return 0.5 * q[..., 0] ** 2 + 2 * (q[..., 1] - 0.5 * q[..., 0] ** 2) ** 2


class LogisticPosterior:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __call__(self, w):
        logits = w @ self.x.T
        nll = F.binary_cross_entropy_with_logits(logits, self.y.expand_as(logits), reduction="none").sum(-1)
        return nll + 0.5 * w.square().sum(-1)
