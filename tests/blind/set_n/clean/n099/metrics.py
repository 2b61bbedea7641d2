import torch


class Metric:
    def __init__(self, device="cpu"):
        self.device = torch.device(device)
        self.reset()

    def reset(self):
        raise NotImplementedError


class Confusion(Metric):
    def __init__(self, classes, device="cpu"):
        self.classes = classes
        super().__init__(device)

    def reset(self):
        self.matrix = torch.zeros(self.classes, self.classes, dtype=torch.long, device=self.device)

    @torch.no_grad()
    def update(self, logits, target):
        pred = logits.argmax(1)
        flat = (target * self.classes + pred).flatten().to(self.device)
        self.matrix += torch.bincount(flat, minlength=self.classes ** 2).view_as(self.matrix)

    def iou(self):
        m = self.matrix.double()
        tp = m.diagonal()
        return (tp / (m.sum(0) + m.sum(1) - tp).clamp(min=1)).mean().item()


class Mean(Metric):
    def reset(self):
        self.total, self.weight = 0.0, 0

    def update(self, value, n=1):
        self.total += float(value.detach()) * n
        self.weight += n

    def compute(self):
        return self.total / max(self.weight, 1)
