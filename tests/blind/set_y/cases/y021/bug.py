import math
from types import SimpleNamespace

import torch


def make_data(n, device):
    t = torch.linspace(0, 3, n, device=device)
    return t, 2.0 * torch.exp(-0.7 * t) * torch.cos(4.0 * t) + 0.01 * torch.randn(n, device=device)


def oscillator(t, params):
    amp, decay, freq = params
    return amp * torch.exp(-decay * t) * torch.cos(freq * t)


def sgd_step(params, lr, clip=1.0):
    norm = math.sqrt(sum(p.grad.pow(2).sum().item() for p in params))
    scale = min(1.0, clip / (norm + 1e-8))
    return [p - lr * scale * p.grad for p in params]


def fit(cfg):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    t, y = make_data(cfg.points, device)
    init = (1.5, 0.4, 3.8)
    params = [torch.tensor(v, device=device, requires_grad=True) for v in init]
    history = []
    for step in range(cfg.steps):
        loss = (oscillator(t, params) - y).square().mean()
        for p in params:
            p.grad = None
        loss.backward()
        params = sgd_step(params, cfg.lr)
        history.append(loss.item())
        if step % 20 == 0:
            print(f"{step:4d} {history[-1]:.5f}", [round(p.item(), 3) for p in params])
    return params, history


if __name__ == "__main__":
    fit(SimpleNamespace(points=80, steps=60, lr=0.1))
