import numpy as np
import torch


class ConfusionMatrix:
    def __init__(self, classes, ignore_index=255):
        self.classes, self.ignore_index = classes, ignore_index
        self.counts = None

    def update(self, prediction, target):
        if self.counts is None:
            self.counts = torch.zeros(self.classes ** 2, dtype=torch.long, device=target.device)
        keep = target != self.ignore_index
        code = target[keep] * self.classes + prediction[keep]
        self.counts += torch.bincount(code, minlength=self.classes ** 2)

    def numpy(self):
        return self.counts.view(self.classes, self.classes).cpu().numpy()

    def summary(self):
        matrix = self.numpy().astype(np.float64)
        hit = np.diag(matrix)
        union = matrix.sum(0) + matrix.sum(1) - hit
        return {"acc": hit.sum() / matrix.sum(), "miou": np.mean(hit / np.maximum(union, 1))}
