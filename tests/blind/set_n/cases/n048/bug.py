import torch
from torch import nn


def iou(a, b):
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area = lambda z: (z[:, 2:] - z[:, :2]).clamp(min=0).prod(-1)
    return inter / (area(a)[:, None] + area(b)[None] - inter + 1e-9)


def nms(boxes, scores, thr):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel():
        i = order[0]
        keep.append(i)
        if order.numel() == 1:
            break
        rest = order[1:]
        order = rest[iou(boxes[i][None], boxes[rest])[0] < thr]
    return torch.stack(keep)


class PostProcess(nn.Module):
    def __init__(self, score_thr=0.5, iou_thr=0.5, limit=20):
        super().__init__()
        self.score_thr, self.iou_thr, self.limit = score_thr, iou_thr, limit

    def single(self, boxes, logits):
        scores, labels = logits.sigmoid().max(-1)
        ok = scores > self.score_thr
        if not ok.any():
            return torch.zeros(0, 6)
        boxes, scores, labels = boxes[ok], scores[ok], labels[ok]
        k = nms(boxes, scores, self.iou_thr)[: self.limit]
        return torch.cat([boxes[k], scores[k, None], labels[k, None].float()], 1)

    @torch.no_grad()
    def forward(self, boxes, logits):
        rows = []
        for i, (b, l) in enumerate(zip(boxes, logits)):
            det = self.single(b, l)
            image = torch.full((len(det), 1), float(i), device=boxes.device)
            rows.append(torch.cat([image, det], 1))
        return torch.cat(rows)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    xy = torch.rand(3, 15, 2, device=device)
    boxes = torch.cat([xy, xy + torch.rand(3, 15, 2, device=device)], -1)
    logits = torch.randn(3, 15, 4, device=device)
    logits[1] -= 20
    print(PostProcess()(boxes, logits).shape)
