import numpy as np


class AverageMeter:
    """Computes and stores the average and current value."""

    def __init__(self, name=""):
        self.name = name
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        return f"{self.name} {self.val:.3f} ({self.avg:.3f})"


class ConfusionMeter:
    def __init__(self, num_classes, ignore_index=255):
        self.num_classes = num_classes
        self.ignore_index = ignore_index
        self.mat = np.zeros((num_classes, num_classes), dtype=np.int64)

    def update(self, pred, target):
        pred, target = pred.numpy(), target.numpy()
        keep = target != self.ignore_index
        idx = self.num_classes * target[keep].astype(int) + pred[keep]
        self.mat += np.bincount(idx, minlength=self.num_classes ** 2).reshape(self.mat.shape)

    @property
    def miou(self):
        inter = np.diag(self.mat)
        union = self.mat.sum(0) + self.mat.sum(1) - inter
        return float((inter / np.maximum(union, 1)).mean())
