import torch
from torch import nn


class Meter:
    def __init__(self):
        self.sum, self.n = 0.0, 0

    def update(self, value, n):
        self.sum += value * n
        self.n += n

    @property
    def avg(self):
        return self.sum / max(self.n, 1)


@torch.no_grad()
def validate(model, loader, device):
    model.eval()
    loss_meter, acc_meter = Meter(), Meter()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, y)
        loss_meter.update(loss.item(), len(x))
        acc_meter.update((logits.argmax(1) == y).float().mean().item(), len(x))
    return loss_meter.avg, acc_meter.avg
