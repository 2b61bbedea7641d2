import torch


def describe(params):
    counts = [p.numel() for p in params]
    print(f"{len(counts)} tensors, {sum(counts):,} values")


def configure(params, lr=1e-3, name="adam", verbose=True):
    if verbose:
        describe(params)
    if name == "adam":
        return torch.optim.Adam(params, lr=lr)
    return torch.optim.SGD(params, lr=lr, momentum=0.9)
