import numpy as np
import torch


class RunningF1:
    def __init__(self, n):
        self.counts = torch.zeros(3, n)

    def update(self, logits, boxes, y, b):
        pred = logits.argmax(1).cpu()
        for c in range(self.counts.shape[1]):
            p, t = pred == c, y == c
            self.counts[:, c] += torch.stack([(p & t).sum(), (p & ~t).sum(), (~p & t).sum()])

    def compute(self):
        tp, fp, fn = self.counts
        return (2 * tp / (2 * tp + fp + fn).clamp(min=1)).mean().item()


class MeanAP:
    def __init__(self, thresholds=(0.5, 0.75)):
        self.thresholds = thresholds
        self.scores, self.ious = [], []

    def update(self, logits, boxes, y, b):
        score = logits.softmax(1).max(1).values
        b = b.to(boxes.device)
        lt, rb = torch.max(boxes[:, :2], b[:, :2]), torch.min(boxes[:, 2:], b[:, 2:])
        inter = (rb - lt).clamp(min=0).prod(1)
        area = lambda t: (t[:, 2:] - t[:, :2]).prod(1)
        self.scores.append(score.cpu().numpy())
        self.ious.append((inter / (area(boxes) + area(b) - inter)).cpu().numpy())

    def compute(self):
        s, iou = np.concatenate(self.scores), np.concatenate(self.ious)
        iou = iou[np.argsort(-s)]
        aps = []
        for t in self.thresholds:
            tp = np.cumsum(iou >= t)
            prec, rec = tp / np.arange(1, len(tp) + 1), tp / len(tp)
            env = np.maximum.accumulate(prec[::-1])[::-1]
            aps.append(float(np.sum(np.diff(rec, prepend=0) * env)))
        return float(np.mean(aps))


class Metrics:
    def __init__(self, **parts):
        self.parts = parts

    def update(self, *args):
        for p in self.parts.values():
            p.update(*args)

    def compute(self):
        return {k: p.compute() for k, p in self.parts.items()}
