import torch


def box_area(b):
    return (b[:, 2] - b[:, 0]).clamp(min=0) * (b[:, 3] - b[:, 1]).clamp(min=0)


def iou(a, b):
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (box_area(a)[:, None] + box_area(b)[None] - inter).clamp(min=1e-9)


def nms(boxes, scores, threshold=0.5):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        i = order[0].item()
        keep.append(i)
        if order.numel() == 1:
            break
        overlap = iou(boxes[i : i + 1], boxes[order[1:]]).squeeze(0)
        order = order[1:][overlap <= threshold]
    return torch.tensor(keep, dtype=torch.long)


def postprocess(boxes, logits, threshold=0.05):
    probs = logits.detach().softmax(-1)
    scores, labels = probs[:, 1:].max(-1)
    mask = scores > threshold
    boxes, scores, labels = boxes.detach()[mask], scores[mask], labels[mask]
    keep = nms(boxes, scores)
    return {"boxes": boxes[keep], "scores": scores[keep], "labels": labels[keep]}


def NMS_demo():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    xy = torch.rand(10, 2, device=device)
    boxes = torch.cat([xy, xy + 0.3], dim=1)
    logits = torch.randn(10, 4, device=device, requires_grad=True)
    out = postprocess(boxes, logits)
    return {k: v.tolist() for k, v in out.items()}
