from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def evaluating(model):
    """eval mode for a while; afterwards every module is as it was."""
    modes = {m: m.training for m in model.modules()}
    model.eval()
    try:
        yield model
    finally:
        for m, mode in modes.items():
            m.training = mode


def enable_dropout(model):
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()


@torch.no_grad()
def mc_predict(model, x, samples=8):
    """Dropout stays on, batch norm uses its running statistics."""
    with evaluating(model):
        enable_dropout(model)
        probs = torch.stack([model(x).softmax(-1) for _ in range(samples)])
    return probs.mean(0), probs.var(0).sum(-1)


@torch.no_grad()
def update_bn(loader, model, device):
    """Fresh running statistics for averaged weights: forward in train mode, no gradients."""
    norms = [m for m in model.modules() if isinstance(m, nn.BatchNorm1d)]
    momenta = {m: m.momentum for m in norms}
    was_training = model.training
    model.train()
    for m in norms:
        m.reset_running_stats()
        m.momentum = None
    for x, _ in loader:
        model(x.to(device))
    for m in norms:
        m.momentum = momenta[m]
    model.train(was_training)
