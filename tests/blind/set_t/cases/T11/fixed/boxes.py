import torch


class AnchorGrid:
    def __init__(self, stride, sizes):
        self.stride = stride
        self.sizes = sizes

    def __call__(self, height, width):
        ys = (torch.arange(height) + 0.5) * self.stride
        xs = (torch.arange(width) + 0.5) * self.stride
        cy, cx = torch.meshgrid(ys, xs, indexing="ij")
        centre = torch.stack([cx, cy], -1).reshape(-1, 1, 2)
        wh = torch.tensor(self.sizes, dtype=centre.dtype).view(1, -1, 1).expand(-1, -1, 2)
        centre = centre.expand(-1, wh.size(1), -1)
        return torch.cat([centre, wh.expand(centre.size(0), -1, -1)], -1).reshape(-1, 4)


def to_corners(b):
    centre, wh = b[..., :2], b[..., 2:]
    return torch.cat([centre - wh / 2, centre + wh / 2], -1)


def encode(boxes, anchors):
    d = (boxes[..., :2] - anchors[..., :2]) / anchors[..., 2:]
    s = (boxes[..., 2:] / anchors[..., 2:]).log()
    return torch.cat([d, s], -1)


def iou(a, b):
    a, b = to_corners(a)[:, None], to_corners(b)[None]
    inter = (torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])).clamp(min=0).prod(-1)
    area = lambda t: (t[..., 2:] - t[..., :2]).prod(-1)
    return inter / (area(a) + area(b) - inter)
