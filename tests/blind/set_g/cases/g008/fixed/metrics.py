import numpy as np


class ConfusionMatrix:
    def __init__(self, num_classes):
        self.num_classes = num_classes
        self.mat = np.zeros((num_classes, num_classes), dtype=np.int64)

    def update(self, prediction, target):
        p, t = prediction.cpu().numpy().ravel(), target.cpu().numpy().ravel()
        keep = (t >= 0) & (t < self.num_classes)
        flat = self.num_classes * t[keep] + p[keep]
        self.mat += np.bincount(flat, minlength=self.num_classes ** 2).reshape(self.mat.shape)

    def iou(self):
        inter = np.diag(self.mat)
        union = self.mat.sum(0) + self.mat.sum(1) - inter
        return inter / np.maximum(union, 1)
