import torch


class Compose:
    def __init__(self, *fns):
        self.fns = fns

    def __call__(self, x):
        for fn in self.fns:
            x = fn(x)
        return x


def hflip(x):
    return x.flip(-1) if torch.rand(()) < 0.5 else x


def standardize(x):
    return (x - x.mean()) / (x.std() + 1e-6) + x.mean()
