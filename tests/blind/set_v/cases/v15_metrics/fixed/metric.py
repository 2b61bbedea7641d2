import numpy as np


def to_numpy(*tensors):
    return [t.detach().cpu().numpy() for t in tensors]


class Auc:
    def __init__(self):
        self.scores, self.labels = [], []

    def update(self, scores, labels):
        s, y = to_numpy(scores, labels)
        self.scores.append(s)
        self.labels.append(y)

    def compute(self):
        s, y = np.concatenate(self.scores), np.concatenate(self.labels)
        order = s.argsort()
        ranks = np.empty(len(s))
        ranks[order] = np.arange(1, len(s) + 1)
        pos = int(y.sum())
        neg = len(y) - pos
        return (ranks[y == 1].sum() - pos * (pos + 1) / 2) / max(pos * neg, 1)
