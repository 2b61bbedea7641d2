import torch
from torch import nn


def influence(model, x, y):
    """Gradient and Gauss-Newton diagonal of one batch."""
    params = list(model.parameters())
    loss = nn.functional.mse_loss(model(x), y)
    grads = torch.autograd.grad(loss, params)
    again = torch.autograd.grad(loss.sqrt(), params)
    return [g * h for g, h in zip(grads, again)]
