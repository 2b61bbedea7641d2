import torch


def gaussians(points, size, sigma=1.5):
    """(B, K, 2) pixel coordinates -> (B, K, H, W)"""
    axis = torch.arange(size, dtype=points.dtype, device=points.device)
    gx = torch.exp(-((axis - points[..., 0:1]) ** 2) / (2 * sigma ** 2))
    gy = torch.exp(-((axis - points[..., 1:2]) ** 2) / (2 * sigma ** 2))
    return gy.unsqueeze(-1) * gx.unsqueeze(-2)


def peaks(heat):
    """Position of each map's centre of activity."""
    b, k, h, w = heat.shape
    p = heat.flatten(2).softmax(-1).view(b, k, h, w)
    axis = torch.arange(h, dtype=heat.dtype, device=heat.device)
    return torch.stack([(p.sum(2) * axis).sum(-1), (p.sum(3) * axis).sum(-1)], -1)


def pck(pred, target, radius=2.0):
    return ((pred - target).norm(dim=-1) < radius).float().mean()
