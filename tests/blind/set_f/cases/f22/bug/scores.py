import numpy as np


def average_precision(y_true, y_score):
    order = np.argsort(-np.asarray(y_score))
    hits = np.asarray(y_true)[order].astype(float)
    if hits.sum() == 0:
        return 0.0
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float((precision * hits).sum() / hits.sum())


class MeanAP:
    def __init__(self):
        self.labels, self.scores = [], []

    def add(self, labels, scores):
        self.labels.append(labels)
        self.scores.append(scores)

    def compute(self):
        y, s = np.concatenate(self.labels), np.concatenate(self.scores)
        return {f"ap/{c}": average_precision(y[:, c], s[:, c]) for c in range(y.shape[1])}
