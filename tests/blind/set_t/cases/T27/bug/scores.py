import torch


class Confusion:
    def __init__(self, classes):
        self.classes = classes
        self.reset()

    def reset(self):
        self.pred, self.true = [], []

    def update(self, logits, target, ignore=255):
        keep = target != ignore
        pred = logits.argmax(1)[keep]
        self.pred.append(pred.cpu)
        self.true.append(target[keep].cpu())

    def matrix(self):
        pred, true = torch.cat(self.pred), torch.cat(self.true)
        flat = true * self.classes + pred
        return torch.bincount(flat, minlength=self.classes ** 2).view(self.classes, -1)

    def report(self, names):
        m = self.matrix().double()
        iou = m.diag() / (m.sum(0) + m.sum(1) - m.diag()).clamp(min=1)
        table = {n: round(v, 3) for n, v in zip(names, iou.tolist())}
        table["mIoU"] = round(iou.mean().item(), 3)
        return table
