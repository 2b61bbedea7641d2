import torch
from torch import nn


class TinyDetector(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.box, self.cls = nn.Linear(8, 4), nn.Linear(8, classes)

    def forward(self, images, targets=None):
        feats = torch.cat([self.backbone(img.unsqueeze(0)) for img in images])
        boxes, logits = self.box(feats).sigmoid(), self.cls(feats)
        if targets is None:
            return boxes, logits.argmax(-1)
        gold = torch.stack([t["boxes"][0] for t in targets])
        labels = torch.stack([t["labels"][0] for t in targets])
        return {
            "box": nn.functional.l1_loss(boxes, gold),
            "cls": nn.functional.cross_entropy(logits, labels),
        }


def collate(batch):
    return tuple(map(list, zip(*batch)))
