import torch


def locations(features, strides):
    """One (h*w, 2) table of pixel centres for each level."""
    for feat, stride in zip(features, strides):
        h, w = feat.shape[-2:]
        xs = (torch.arange(w, dtype=torch.float32) + 0.5) * stride
        ys = (torch.arange(h, dtype=torch.float32) + 0.5) * stride
        gy, gx = torch.meshgrid(ys, xs, indexing="ij")
        yield torch.stack([gx.reshape(-1), gy.reshape(-1)], dim=-1)


def decode(points, ltrb):
    x1y1 = points - ltrb[..., :2]
    x2y2 = points + ltrb[..., 2:]
    return torch.cat([x1y1, x2y2], dim=-1)
