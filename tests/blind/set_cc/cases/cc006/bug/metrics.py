import numpy as np
import torch


class CalibrationMeter:
    """Expected calibration error over equally wide confidence bins."""

    def __init__(self, bins=10):
        self.bins = bins
        self.reset()

    def reset(self):
        self._confidence, self._correct = [], []

    def update(self, logits, labels):
        confidence, predicted = logits.detach().softmax(dim=-1).max(dim=-1)
        self._confidence.append(confidence)
        self._correct.append(predicted.eq(labels))

    def compute(self):
        confidence = torch.cat(self._confidence).numpy()
        correct = torch.cat(self._correct).numpy()
        edges = np.linspace(0.0, 1.0, self.bins + 1)
        which = np.clip(np.digitize(confidence, edges) - 1, 0, self.bins - 1)
        ece = 0.0
        for b in range(self.bins):
            inside = which == b
            if inside.any():
                ece += inside.mean() * abs(confidence[inside].mean() - correct[inside].mean())
        return float(ece)
