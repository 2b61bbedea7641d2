import torch
from torch import nn


def consistency(model, x, noise=0.1):
    clean = model(x)
    noisy = model(x + noise * torch.randn_like(x))
    anchor = clean.detach().clone()
    return nn.functional.mse_loss(noisy, anchor)
