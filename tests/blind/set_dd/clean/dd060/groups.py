from torch import nn


def split_decay(module):
    """Two parameter lists: those that get weight decay and those that do not."""
    decay, plain = [], []
    for m in module.modules():
        for name, p in m.named_parameters(recurse=False):
            if not p.requires_grad:
                continue
            (plain if name == "bias" or isinstance(m, nn.LayerNorm) else decay).append(p)
    return decay, plain


def layerwise(model, lr, factor=0.1, weight_decay=1e-2):
    groups = []
    for part, rate in ((model.frame, lr * factor), (model.norm, lr * factor), (model.head, lr)):
        decay, plain = split_decay(part)
        groups += [{"params": decay, "lr": rate, "weight_decay": weight_decay}, {"params": plain, "lr": rate, "weight_decay": 0.0}]
    return [g for g in groups if g["params"]]
