import torch.nn as nn


def split_decay(model, weight_decay):
    decay, plain = [], []
    for module in model.modules():
        for name, p in module.named_parameters(recurse=False):
            if not p.requires_grad:
                continue
            is_matrix = name == "weight" and isinstance(module, (nn.Linear, nn.Conv1d))
            (decay if is_matrix else plain).append(p)
    return [
        {"params": decay, "weight_decay": weight_decay},
        {"params": plain, "weight_decay": 0.0},
    ]


def count(groups):
    return [sum(p.numel() for p in g["params"]) for g in groups]
