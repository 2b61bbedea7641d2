import numpy as np


def roc_auc(scores, labels):
    """Area under the ROC curve by ranks."""
    scores = scores.cpu().numpy().ravel()
    labels = labels.cpu().numpy().ravel().astype(bool)
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    pos, neg = labels.sum(), (~labels).sum()
    if pos == 0 or neg == 0:
        return float("nan")
    return float((ranks[labels].sum() - pos * (pos + 1) / 2) / (pos * neg))


class RunningMean:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value, n=1):
        if not np.isnan(value):
            self.total += float(value) * n
            self.count += n

    @property
    def value(self):
        return self.total / max(1, self.count)
