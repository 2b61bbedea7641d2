import numpy as np
import torch


class Calibration:
    def __init__(self, bins=10):
        self.bins = bins
        self.hist = torch.zeros(3, bins, dtype=torch.float64)

    @torch.no_grad()
    def update(self, probs, target):
        conf, pred = (t.cpu() for t in probs.max(1))
        slot = (conf * self.bins).long().clamp(max=self.bins - 1)
        hit = (pred == target.cpu()).double()
        for row, w in enumerate((torch.ones_like(hit), conf.double(), hit)):
            self.hist[row].index_add_(0, slot, w)

    def ece(self):
        n, conf, hit = self.hist.numpy()
        m = n > 0
        return float(np.sum(n[m] / n.sum() * np.abs(conf[m] / n[m] - hit[m] / n[m])))
