import torch


class ConfusionMeter:
    def __init__(self, num_classes):
        self.num_classes = num_classes
        self.mat = None

    def update(self, pred, target):
        if self.mat is None:
            self.mat = torch.zeros(self.num_classes, self.num_classes, device=pred.device)
        idx = target.flatten() * self.num_classes + pred.flatten()
        counts = torch.bincount(idx, minlength=self.num_classes ** 2)
        self.mat += counts.view(self.num_classes, self.num_classes)

    def miou(self):
        inter = self.mat.diagonal()
        union = self.mat.sum(0) + self.mat.sum(1) - inter
        return (inter / union.clamp(min=1)).mean().item()
