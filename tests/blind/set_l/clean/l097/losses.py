import math

import torch

HALF_LOG_2PI = torch.tensor(0.5 * math.log(2 * math.pi))


def gaussian_nll(mean, log_std, target):
    z = (target - mean) * torch.exp(-log_std)
    return (0.5 * z.pow(2) + log_std + HALF_LOG_2PI).mean()


def quantile_loss(pred, target, quantiles):
    total = torch.tensor(0.0)
    for i, q in enumerate(quantiles):
        d = target - pred[..., i]
        total = total + torch.maximum(q * d, (q - 1) * d).mean()
    return total / len(quantiles)
