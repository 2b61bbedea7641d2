import numpy as np


class Average:
    def __init__(self):
        self.s = self.n = 0

    def update(self, v, k=1):
        self.s += v * k
        self.n += k

    def value(self):
        return self.s / max(self.n, 1)


class IoU:
    """Mean intersection over union, filled batch by batch."""

    def __init__(self, n_classes):
        self.n_classes = n_classes
        self.pred, self.true = [], []

    def update(self, logits, target):
        self.pred.append(logits.argmax(dim=1).flatten())
        self.true.append(target.flatten())

    def _hist(self, p, t):
        n = self.n_classes
        return np.bincount(n * t + p, minlength=n * n).reshape(n, n)

    def value(self):
        hist = np.zeros((self.n_classes, self.n_classes))
        for p, t in zip(self.pred, self.true):
            hist += self._hist(np.asarray(p), np.asarray(t))
        inter = np.diag(hist)
        union = hist.sum(0) + hist.sum(1) - inter
        return float(np.mean(inter / np.maximum(union, 1)))
