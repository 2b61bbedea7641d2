import torch


def watch(model, x):
    """Norms of the gradient reaching the input, per sample."""
    norms = []
    x = x.detach().clone()
    x.register_hook(lambda g: norms.append(g.norm(dim=-1)))
    model(x).pow(2).sum().backward()
    return norms[0]
