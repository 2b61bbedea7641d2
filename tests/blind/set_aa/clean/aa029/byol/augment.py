import torch


def jitter(x):
    """Works on a private copy, so the loader's tensor stays as it is."""
    x = x.clone()
    x *= torch.empty(x.size(0), 1, 1, 1, device=x.device).uniform_(0.8, 1.2)
    x[torch.rand(x.size(0), device=x.device) < 0.5] *= -1
    return x.add_(0.05 * torch.randn_like(x)).clamp_(-3, 3)
