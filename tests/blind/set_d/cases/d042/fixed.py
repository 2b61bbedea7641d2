import torch
from torch import nn


def freeze_until(model: nn.Sequential, index: int) -> nn.Sequential:
    for i, layer in enumerate(model.children()):
        if i < index:
            layer.eval()
            layer.requires_grad_(False)
    return model


def trainable(model):
    return [p for p in model.parameters() if p.requires_grad]


def make_optimizer(model, lr=1e-3):
    return torch.optim.AdamW(trainable(freeze_until(model, 2)), lr=lr)
