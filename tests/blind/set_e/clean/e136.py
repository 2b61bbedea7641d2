import torch
from torch import nn


class YoloLoss(nn.Module):
    def __init__(self, anchors, classes):
        super().__init__()
        self.register_buffer("anchors", torch.tensor(anchors))
        self.classes = classes
        self.bce = nn.BCEWithLogitsLoss()
        self.mse = nn.MSELoss()

    def build_targets(self, targets, h, w, like):
        n, a = len(targets), len(self.anchors)
        obj = torch.zeros(n, a, h, w, device=like.device)
        box = torch.zeros(n, a, h, w, 4, device=like.device)
        cls = torch.zeros(n, a, h, w, dtype=torch.long, device=like.device)
        for i, t in enumerate(targets):
            if not len(t):
                continue
            t = t.to(like.device)
            gx, gy = t[:, 1] * w, t[:, 2] * h
            gi, gj = gx.long().clamp(0, w - 1), gy.long().clamp(0, h - 1)
            wh = t[:, 3:] * torch.tensor([w, h], device=like.device)
            ratio = wh[:, None] / self.anchors[None]
            best = torch.max(ratio, 1 / ratio).amax(-1).argmin(1)
            obj[i, best, gj, gi] = 1
            box[i, best, gj, gi] = torch.stack([gx - gi, gy - gj, *(wh / self.anchors[best]).log().unbind(1)], 1)
            cls[i, best, gj, gi] = t[:, 0].long()
        return obj, box, cls

    def forward(self, pred, targets):
        n, _, h, w = pred.shape
        pred = pred.view(n, len(self.anchors), 5 + self.classes, h, w).permute(0, 1, 3, 4, 2)
        obj, box, cls = self.build_targets(targets, h, w, pred)
        mask = obj.bool()
        loss = self.bce(pred[..., 4], obj)
        if mask.any():
            loss = loss + self.mse(pred[..., :2][mask].sigmoid(), box[..., :2][mask])
            loss = loss + self.mse(pred[..., 2:4][mask], box[..., 2:][mask])
            loss += nn.functional.cross_entropy(pred[..., 5:][mask], cls[mask])
        return loss
