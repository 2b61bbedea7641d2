import torch

OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}


def make_optimizer(spec, model):
    spec = dict(spec)
    cls = OPTIMIZERS[spec.pop("name")]
    return cls(model.parameters(), **spec)
