import torch


def composite(rgb, sigma, t):
    gap = torch.cat([t[1:] - t[:-1], t.new_full((1,), 1e2)])
    alpha = 1 - torch.exp(-sigma * gap.abs())
    through = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-7], 1), dim=1)[:, :-1]
    weight = alpha * through
    return (weight[..., None] * rgb).sum(1), weight.sum(1)


def render(model, rays, near=1.0, far=3.0, n=8):
    pts, t = rays.points(near, far, n)
    return composite(*model(pts), t)
