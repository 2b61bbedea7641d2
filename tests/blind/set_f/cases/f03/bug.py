"""Running metrics for semantic segmentation."""
import torch


def fast_hist(pred: torch.Tensor, label: torch.Tensor, n: int) -> torch.Tensor:
    valid = (label >= 0) & (label < n)
    flat = n * label[valid].long() + pred[valid]
    return torch.bincount(flat, minlength=n * n).view(n, n)


class SegmentationMeter:
    def __init__(self, num_classes: int, names=None):
        self.num_classes = num_classes
        self.names = names or [str(i) for i in range(num_classes)]
        self.reset()

    def reset(self):
        self.hist = torch.zeros(self.num_classes, self.num_classes)
        self.seen = 0

    def update(self, logits: torch.Tensor, label: torch.Tensor):
        pred = logits.argmax(dim=1)
        self.hist += fast_hist(pred, label, self.num_classes)
        self.seen += label.shape[0]

    def iou(self) -> torch.Tensor:
        inter = self.hist.diag()
        union = self.hist.sum(0) + self.hist.sum(1) - inter
        return inter / union.clamp(min=1)

    def summary(self) -> dict:
        per_class = self.iou().tolist()
        return {"miou": sum(per_class) / len(per_class), **dict(zip(self.names, per_class))}


@torch.no_grad()
def evaluate(net, loader, device, num_classes):
    net.eval()
    meter = SegmentationMeter(num_classes)
    for image, label in loader:
        image, label = image.to(device), label.to(device)
        meter.update(net(image), label)
    return meter.summary()
