"""Overlap metrics for volumetric segmentation."""
import numpy as np


class DiceMeter:
    def __init__(self, n_labels, ignore_background=True):
        self.labels = range(1 if ignore_background else 0, n_labels)
        self.scores = {k: [] for k in self.labels}

    def add(self, pred, ref):
        pred = np.asarray(pred)
        ref = np.asarray(ref)
        for k in self.labels:
            p, r = pred == k, ref == k
            total = p.sum() + r.sum()
            if total:
                self.scores[k].append(2.0 * np.logical_and(p, r).sum() / total)

    def summary(self):
        return {k: float(np.mean(v)) if v else float("nan") for k, v in self.scores.items()}
