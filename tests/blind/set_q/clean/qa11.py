import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def sample_task():
    amp, phase = torch.empty(2).uniform_(0.5, 3.0).tolist()
    x = torch.empty(20, 1, device=device).uniform_(-math.pi, math.pi)
    y = amp * torch.sin(x + phase)
    return (x[:10], y[:10]), (x[10:], y[10:])


def inner_loop(model, params, support, steps=2, lr=0.02, first_order=False):
    x, y = support
    for _ in range(steps):
        loss = F.mse_loss(functional_call(model, params, (x,)), y)
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=not first_order)
        params = {k: p - lr * g for (k, p), g in zip(params.items(), grads)}
    return params


def main():
    model = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 1)).to(device)
    meta_opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for it in range(8):
        meta_opt.zero_grad()
        meta_loss = 0.0
        for _ in range(4):
            support, (qx, qy) = sample_task()
            fast = inner_loop(model, dict(model.named_parameters()), support)
            meta_loss = meta_loss + F.mse_loss(functional_call(model, fast, (qx,)), qy)
        (meta_loss / 4).backward()
        meta_opt.step()
        if it % 4 == 0:
            print(it, meta_loss.item() / 4)

    support, (qx, qy) = sample_task()
    adapted = inner_loop(model, dict(model.named_parameters()), support, steps=5, first_order=True)
    with torch.no_grad():
        print("test", F.mse_loss(functional_call(model, adapted, (qx,)), qy).item())


if __name__ == "__main__":
    main()
