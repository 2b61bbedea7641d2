import numpy as np


class ConfusionMatrix:
    def __init__(self, classes, ignore=255):
        self.classes = classes
        self.ignore = ignore
        self.counts = np.zeros((classes, classes), dtype=np.int64)

    def update(self, pred, target):
        pred = pred.reshape(-1).cpu().numpy()
        target = target.reshape(-1).cpu().numpy()
        keep = target != self.ignore
        index = target[keep] * self.classes + pred[keep]
        self.counts += np.bincount(index, minlength=self.classes ** 2).reshape(self.classes, self.classes)

    @property
    def iou(self):
        inter = np.diag(self.counts)
        union = self.counts.sum(0) + self.counts.sum(1) - inter
        return inter / np.maximum(union, 1)
