import torch


def grid_centers(height, width, stride, device=None):
    ys = (torch.arange(height, dtype=torch.float32, device=device) + 0.5) * stride
    xs = (torch.arange(width, dtype=torch.float32, device=device) + 0.5) * stride
    gy, gx = torch.meshgrid(ys, xs, indexing="ij")
    return torch.stack((gx, gy), dim=-1).reshape(-1, 2)


def decode(deltas, height, width, stride):
    centers = grid_centers(height, width, stride)
    lt, rb = deltas.chunk(2, dim=-1)
    return torch.cat((centers - lt, centers + rb), dim=-1)


def iou(a, b):
    lt = torch.maximum(a[:, None, :2], b[None, :, :2])
    rb = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area = lambda z: (z[:, 2:] - z[:, :2]).prod(-1)
    return inter / (area(a)[:, None] + area(b)[None] - inter + 1e-6)


def nms(boxes, scores, thr):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel():
        i = order[0]
        keep.append(i)
        if order.numel() == 1:
            break
        rest = order[1:]
        order = rest[iou(boxes[i : i + 1], boxes[rest])[0] <= thr]
    return torch.stack(keep)
