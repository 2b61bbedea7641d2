import torch


def paste_masks(masks, boxes, height, width):
    """Host side only: boxes are plain lists by then."""
    canvas = torch.zeros(len(boxes), height, width, dtype=torch.uint8)
    for i, (x0, y0, x1, y1) in enumerate(boxes):
        canvas[i, y0:y1, x0:x1] = masks[i, : y1 - y0, : x1 - x0]
    return canvas


def nms(boxes, scores, thr=0.5):
    keep = []
    order = scores.argsort(descending=True).tolist()
    area = (boxes[:, 2:] - boxes[:, :2]).clamp(min=0).prod(1)
    while order:
        i = order.pop(0)
        keep.append(i)
        if not order:
            break
        rest = torch.tensor(order)
        lt = torch.maximum(boxes[i, :2], boxes[rest, :2])
        rb = torch.minimum(boxes[i, 2:], boxes[rest, 2:])
        inter = (rb - lt).clamp(min=0).prod(1)
        iou = inter / (area[i] + area[rest] - inter)
        order = [j for j, v in zip(order, iou.tolist()) if v <= thr]
    return torch.tensor(keep)
