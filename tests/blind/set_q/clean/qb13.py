import torch
import torch.nn as nn
import torch.nn.functional as F


class Anchors(nn.Module):
    def __init__(self, stride=8, sizes=(8.0, 16.0)):
        super().__init__()
        self.stride, self.sizes = stride, sizes
        self._grid = {}

    def forward(self, feat):
        key = (feat.shape[-2:], feat.device, feat.dtype)
        if key not in self._grid:
            h, w = feat.shape[-2:]
            ys = (torch.arange(h, device=feat.device, dtype=feat.dtype) + 0.5) * self.stride
            xs = (torch.arange(w, device=feat.device, dtype=feat.dtype) + 0.5) * self.stride
            cy, cx = torch.meshgrid(ys, xs, indexing="ij")
            boxes = [torch.stack([cx - s / 2, cy - s / 2, cx + s / 2, cy + s / 2], -1) for s in self.sizes]
            self._grid[key] = torch.stack(boxes, 2).reshape(-1, 4)
        return self._grid[key]


def iou(a, b):
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area = lambda t: (t[:, 2:] - t[:, :2]).prod(-1)
    return inter / (area(a)[:, None] + area(b)[None] - inter + 1e-6)


@torch.no_grad()
def match(anchors, gt, hi=0.4, lo=0.2):
    m = iou(anchors, gt)
    best, idx = m.max(1)
    labels = torch.full((len(anchors),), -1, dtype=torch.long, device=anchors.device)
    labels[best < lo] = 0
    labels[best >= hi] = 1
    labels[m.argmax(0)] = 1
    idx[m.argmax(0)] = torch.arange(len(gt), device=gt.device)
    return labels, gt[idx]


def nms(boxes, scores, thr=0.5):
    order = scores.argsort(descending=True).tolist()
    overlap = iou(boxes, boxes).cpu()
    keep = []
    while order:
        i = order.pop(0)
        keep.append(i)
        order = [j for j in order if overlap[i, j] <= thr]
    return torch.tensor(keep, dtype=torch.long)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 8, stride=8), nn.ReLU())
        self.cls, self.box = nn.Conv2d(16, 2, 1), nn.Conv2d(16, 8, 1)
        self.anchors = Anchors()

    def forward(self, x):
        f = self.body(x)
        flat = lambda t, k: t.permute(0, 2, 3, 1).reshape(t.shape[0], -1, k)
        return flat(self.cls(f), 1).squeeze(-1), flat(self.box(f), 4), self.anchors(f)

    def losses(self, images, gts):
        logits, deltas, anchors = self(images)
        cls, reg = logits.sum() * 0, deltas.sum() * 0
        for lg, dl, gt in zip(logits, deltas, gts):
            labels, target = match(anchors, gt)
            used = labels >= 0
            cls = cls + F.binary_cross_entropy_with_logits(lg[used], labels[used].float())
            pos = labels == 1
            reg = reg + F.smooth_l1_loss(dl[pos] * 8 + anchors[pos], target[pos])
        return {"cls": cls / len(gts), "reg": reg / len(gts)}

    @torch.no_grad()
    def predict(self, images, topk=20):
        logits, deltas, anchors = self(images)
        for lg, dl in zip(logits, deltas):
            s, i = lg.sigmoid().topk(topk)
            b = (dl * 8 + anchors)[i]
            keep = nms(b, s)
            yield b[keep].cpu(), s[keep].cpu()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    det = Detector().to(device)
    opt = torch.optim.SGD(det.parameters(), lr=1e-2, momentum=0.9)
    images = torch.rand(2, 3, 64, 64).to(device)
    gts = [torch.tensor([[4.0, 4, 20, 20]]), torch.tensor([[30.0, 30, 44, 46], [8, 40, 16, 48]])]
    gts = [g.to(device) for g in gts]
    for _ in range(5):
        losses = det.losses(images, gts)
        opt.zero_grad()
        sum(losses.values()).backward()
        opt.step()
    det.eval()
    print({k: v.item() for k, v in losses.items()}, [b.shape for b, s in det.predict(images)])
