import math

import torch
import torch.nn.functional as F

LOG2 = torch.tensor(math.log(2.0))
EPS = torch.tensor(1e-6)


def log_cosh(err):
    """Stable log(cosh(x)); the constants are scalars."""
    return (err.abs() + F.softplus(-2.0 * err.abs()) - LOG2).mean()


def smape(pred, true):
    denom = (pred.abs() + true.abs()) / 2 + EPS
    return ((pred - true).abs() / denom).mean()


def quantile_loss(pred, true, levels):
    q = torch.tensor(levels, dtype=pred.dtype, device=pred.device)
    err = true.unsqueeze(-1) - pred
    return torch.maximum(q * err, (q - 1) * err).mean()
