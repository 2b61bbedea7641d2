import math

import torch
import torch.nn.functional as F

torch.manual_seed(7)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def init_params(sizes):
    params = {}
    for i, (fan_in, fan_out) in enumerate(zip(sizes[:-1], sizes[1:])):
        bound = math.sqrt(6.0 / (fan_in + fan_out))
        weight = torch.empty(fan_in, fan_out, device=device).uniform_(-bound, bound)
        params[f"w{i}"] = weight.requires_grad_()
        params[f"b{i}"] = torch.zeros(fan_out, device=device, requires_grad=True)
    return params


def forward(params, x):
    depth = len(params) // 2
    for i in range(depth):
        x = x @ params[f"w{i}"] + params[f"b{i}"]
        if i < depth - 1:
            x = torch.relu(x)
    return x


def sgd(params, lr, decay=1e-4):
    for name in params:
        step = params[name].grad + decay * params[name].detach()
        params[name] = params[name] - lr * step


def batches(x, y, size):
    order = torch.randperm(len(x), device=x.device)
    for idx in order.split(size):
        yield x[idx], y[idx]


x = torch.randn(96, 5, device=device)
y = (x[:, 0] * x[:, 1] > 0).long()
params = init_params([5, 16, 2])
for epoch in range(4):
    for xb, yb in batches(x, y, 32):
        loss = F.cross_entropy(forward(params, xb), yb)
        loss.backward()
        sgd(params, lr=0.1)
    with torch.no_grad():
        acc = (forward(params, x).argmax(1) == y).float().mean()
    print(f"epoch {epoch} loss {loss.item():.3f} acc {acc.item():.3f}")
