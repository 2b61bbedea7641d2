import torch


def pairwise_iou(a, b):
    """Both sets of boxes come from the caller, wherever they are."""
    area_a = (a[:, 2:] - a[:, :2]).prod(1)
    area_b = (b[:, 2:] - b[:, :2]).prod(1)
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(2)
    return inter / (area_a[:, None] + area_b - inter)


def nms(boxes, scores, threshold=0.5):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel():
        i = order[0]
        keep.append(i)
        if order.numel() == 1:
            break
        rest = order[1:]
        iou = pairwise_iou(boxes[i][None], boxes[rest])[0]
        order = rest[iou <= threshold]
    return torch.stack(keep) if keep else boxes.new_zeros(0, dtype=torch.long)


def batched_nms(boxes, scores, classes, threshold=0.5):
    if boxes.numel() == 0:
        return torch.empty(0, dtype=torch.long, device=boxes.device)
    offset = classes.to(boxes) * (boxes.max() + 1)
    return nms(boxes + offset[:, None], scores, threshold)


def random_boxes(n, device=None):
    xy = torch.rand(n, 2, device=device) * 50
    wh = torch.rand(n, 2, device=device) * 20 + 1
    return torch.cat([xy, xy + wh], dim=1)


def evaluate(detections, truths, threshold=0.5):
    hits = 0
    for det, gt in zip(detections, truths):
        if len(det) and len(gt):
            best = pairwise_iou(det, gt.to(det.device)).amax(0)
            hits += (best > threshold).sum().item()
    return hits / max(sum(len(t) for t in truths), 1)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    detections, truths = [], []
    for n in (12, 0, 7):
        boxes = random_boxes(n, device)
        keep = batched_nms(boxes, torch.rand(n, device=device), torch.randint(0, 3, (n,), device=device))
        detections.append(boxes[keep])
        truths.append(random_boxes(4))
    print("recall", evaluate(detections, truths))
