"""Second order tools built on autograd.grad."""
import torch
from torch.nn import functional as F


def flat(tensors):
    return torch.cat([t.reshape(-1) for t in tensors])


def hvp(model, x, y, vector):
    params = [p for p in model.parameters() if p.requires_grad]
    loss = F.cross_entropy(model(x), y)
    grads = torch.autograd.grad(loss, params, create_graph=True)
    dot = sum((g * v).sum() for g, v in zip(grads, vector))
    return [h.detach() for h in torch.autograd.grad(dot, params)]


def trace(model, x, y, samples=5):
    params = list(model.parameters())
    loss = F.cross_entropy(model(x), y)
    grads = torch.autograd.grad(loss, params, create_graph=True)
    total = 0.0
    for i in range(samples):
        vs = [torch.randint_like(p, 2) * 2 - 1 for p in params]
        hv = torch.autograd.grad(grads, params, grad_outputs=vs, retain_graph=i < samples - 1)
        total += sum((h * v).sum() for h, v in zip(hv, vs)).item()
    return total / samples


def max_eigen(model, x, y, iters=10):
    v = [torch.randn_like(p) for p in model.parameters()]
    value = None
    for _ in range(iters):
        norm = flat(v).norm()
        v = [t / norm for t in v]
        hv = hvp(model, x, y, v)
        value = sum((a * b).sum() for a, b in zip(hv, v)).item()
        v = hv
    return value
