import numpy as np
import torch


def to_numpy(t):
    if isinstance(t, torch.Tensor):
        return t.detach().cpu().numpy()
    return np.asarray(t)


class ScoreBook:
    def __init__(self):
        self.scores, self.labels = [], []

    def add(self, scores, labels):
        self.scores.append(to_numpy(scores))
        self.labels.append(to_numpy(labels))

    def auc(self):
        s, y = np.concatenate(self.scores), np.concatenate(self.labels)
        order = np.argsort(s)
        ranks = np.empty(len(s))
        ranks[order] = np.arange(1, len(s) + 1)
        pos = y == 1
        n1, n0 = pos.sum(), (~pos).sum()
        return float((ranks[pos].sum() - n1 * (n1 + 1) / 2) / (n1 * n0))
