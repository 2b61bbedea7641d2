import torch


class SegMetric:
    """Everything is counted on the host; predictions are brought over once per batch."""

    def __init__(self, classes, ignore=255):
        self.classes, self.ignore = classes, ignore
        self.counts = torch.zeros(classes, classes, dtype=torch.int64)

    @torch.no_grad()
    def add(self, logits, target):
        pred = logits.argmax(1).cpu().flatten()
        target = target.cpu().flatten()
        ok = target != self.ignore
        flat = target[ok] * self.classes + pred[ok]
        self.counts += torch.bincount(flat, minlength=self.classes ** 2).view(self.classes, -1)

    def compute(self):
        c = self.counts.double()
        iou = c.diag() / (c.sum(0) + c.sum(1) - c.diag()).clamp(min=1)
        return {"miou": iou.mean().item(), "acc": (c.diag().sum() / c.sum().clamp(min=1)).item()}
