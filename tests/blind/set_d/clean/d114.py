import itertools

import torch


def freeze(model, keep=1):
    model.requires_grad_(False)
    for layer in list(model.children())[-keep:]:
        for p in layer.parameters():
            p.requires_grad = True
    return model


def optimizer(model, lr=0.1):
    params = filter(lambda p: p.requires_grad, model.parameters())
    return torch.optim.SGD(params, lr=lr)


def joint(*models):
    return torch.optim.Adam(itertools.chain(*(m.parameters() for m in models)))
