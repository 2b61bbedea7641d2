import torch.nn as nn


class FreezeMixin:
    def freeze(self, *names):
        for name in names:
            part = getattr(self, name)
            part.requires_grad_(False)
            part.eval()
        return self

    def count(self, trainable=True):
        return sum(p.numel() for p in self.parameters() if p.requires_grad or not trainable)


class TransferNet(FreezeMixin, nn.Module):
    def __init__(self, n_classes=4, width=24):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(18, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.classifier = nn.Linear(width, n_classes)

    def forward(self, x):
        return self.classifier(self.backbone(x))
