import torch


class AverageMeter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.total, self.count = 0.0, 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    @property
    def avg(self):
        return self.total / max(self.count, 1)


class ConfusionMatrix:
    def __init__(self, num_classes, device):
        self.num_classes = num_classes
        self.device = device
        self.reset()

    def reset(self):
        self.mat = torch.zeros(self.num_classes, self.num_classes, dtype=torch.long, device=self.device)

    @torch.no_grad()
    def update(self, pred, target):
        k = self.num_classes
        keep = target >= 0
        idx = target[keep] * k + pred[keep]
        self.mat += torch.bincount(idx, minlength=k * k).reshape(k, k)

    def iou(self):
        m = self.mat.float()
        inter = m.diag()
        return inter / (m.sum(0) + m.sum(1) - inter).clamp(min=1)
