"""Attribution methods for image classifiers."""
import torch


def _score(model, x, target):
    return model(x).gather(1, target.unsqueeze(1)).sum()


def saliency(model, x, target):
    x = x.detach().clone().requires_grad_(True)
    _score(model, x, target).backward()
    return x.grad.abs().amax(dim=1)


def integrated_gradients(model, x, target, baseline=None, steps=20):
    baseline = torch.zeros_like(x) if baseline is None else baseline
    total = torch.zeros_like(x)
    delta = (x - baseline).detach().requires_grad_(True)
    for k in range(1, steps + 1):
        point = baseline + delta * (k / steps)
        point.retain_grad()
        _score(model, point, target).backward()
        total += point.grad.detach()
    return (total / steps * delta).detach()


def smooth_grad(model, x, target, sigma=0.1, n=8):
    grads = torch.zeros_like(x)
    for _ in range(n):
        noisy = (x + sigma * torch.randn_like(x)).detach().requires_grad_(True)
        _score(model, noisy, target).backward()
        grads += noisy.grad
    return grads / n
