import random
import torch

SPACE = {"hidden": [8, 16, 32], "lr": [1e-2, 3e-2], "optim": ["adagrad"], "batch": [16, 32]}

OPTIMISERS = {
    "adam": torch.optim.Adam,
    "adagrad": torch.optim.Adagrad,
    "sgd": torch.optim.SGD,
}


def draw(rng):
    return {k: rng.choice(v) for k, v in SPACE.items()}


def make_rng(seed=0):
    return random.Random(seed)
