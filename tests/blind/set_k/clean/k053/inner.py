import torch
from torch.func import functional_call


def adapt(model, loss_fn, support, lr, steps):
    """Fast weights after a few differentiable gradient steps."""
    x, y = support
    fast = dict(model.named_parameters())
    for _ in range(steps):
        loss = loss_fn(functional_call(model, fast, (x,)), y)
        grads = torch.autograd.grad(loss, tuple(fast.values()), create_graph=True)
        fast = {name: w - lr * g for (name, w), g in zip(fast.items(), grads)}
    return fast
