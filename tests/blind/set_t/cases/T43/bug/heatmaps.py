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
    flat = heat.flatten(2).argmax(-1)
    x, y = flat % w, torch.div(flat, w, rounding_mode="floor")
    return torch.stack([x, y], -1).to(heat.dtype)


def pck(pred, target, radius=2.0):
    return ((pred - target).norm(dim=-1) < radius).float().mean()
