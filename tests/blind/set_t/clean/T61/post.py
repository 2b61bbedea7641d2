import torch


def box_iou(a, b):
    lt = torch.maximum(a[:, None, :2], b[None, :, :2])
    rb = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area_a = (a[:, 2:] - a[:, :2]).prod(-1)
    area_b = (b[:, 2:] - b[:, :2]).prod(-1)
    return inter / (area_a[:, None] + area_b - inter).clamp(min=1e-6)


def nms(boxes, scores, threshold=0.5):
    """Runs on the host: the loop is sequential anyway."""
    order = scores.argsort(descending=True).tolist()
    overlap = box_iou(boxes, boxes).cpu()
    alive = torch.ones(len(order), dtype=torch.bool)
    keep = []
    for i in order:
        if alive[i]:
            keep.append(i)
            alive &= overlap[i] <= threshold
    return torch.tensor(keep, dtype=torch.long)


def decode(heat, size, offset, k=20):
    b, c, h, w = heat.shape
    peak = torch.nn.functional.max_pool2d(heat, 3, 1, 1) == heat
    scores, where = (heat * peak).flatten(1).topk(k)
    labels = torch.div(where, h * w, rounding_mode="floor")
    cell = where % (h * w)
    pick = lambda t: t.flatten(2).gather(2, cell[:, None].expand(-1, 2, -1)).transpose(1, 2)
    centre = torch.stack([cell % w, torch.div(cell, w, rounding_mode="floor")], -1) + pick(offset)
    wh = pick(size)
    return torch.cat([centre - wh / 2, centre + wh / 2], -1), scores, labels
