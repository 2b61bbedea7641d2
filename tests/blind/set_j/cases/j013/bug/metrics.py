import numpy as np
import torch


class AUCMeter:
    def __init__(self):
        self.scores, self.labels = [], []

    def update(self, logits, target):
        self.scores.append(torch.sigmoid(logits).detach().numpy())
        self.labels.append(target.cpu().numpy())

    def compute(self):
        s, y = np.concatenate(self.scores), np.concatenate(self.labels)
        order = np.argsort(s)
        ranks = np.empty(len(s))
        ranks[order] = np.arange(1, len(s) + 1)
        pos = y == 1
        n1, n0 = pos.sum(), (~pos).sum()
        return (ranks[pos].sum() - n1 * (n1 + 1) / 2) / max(n1 * n0, 1)
