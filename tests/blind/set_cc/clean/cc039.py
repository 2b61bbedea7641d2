"""Second order MAML for sine regression with the functional API."""
import math

import torch
from torch import nn
from torch.func import functional_call

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
inner_lr, inner_steps, tasks_per_batch = 0.05, 2, 4
model = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 1)).to(device)
meta_optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def make_task():
    amplitude, phase = 0.5 + 4 * torch.rand(()).item(), math.pi * torch.rand(()).item()

    def draw(n):
        x = torch.rand(n, 1, device=device) * 10 - 5
        return x, amplitude * torch.sin(x + phase)

    return draw


def loss_with(weights, x, y):
    return nn.functional.mse_loss(functional_call(model, weights, (x,)), y)


def adapt(x, y):
    weights = dict(model.named_parameters())
    for _ in range(inner_steps):
        grads = torch.autograd.grad(loss_with(weights, x, y), list(weights.values()), create_graph=True)
        weights = {name: w - inner_lr * g for (name, w), g in zip(weights.items(), grads)}
    return weights


for iteration in range(4):
    meta_loss = 0.0
    for draw in [make_task() for _ in range(tasks_per_batch)]:
        fast = adapt(*draw(10))
        meta_loss += loss_with(fast, *draw(10)) / tasks_per_batch
    meta_optimizer.zero_grad()
    meta_loss.backward()
    meta_optimizer.step()
    print(iteration, f"{meta_loss.item():.4f}")

x, y = make_task()(10)
adapted = {k: v.detach() for k, v in adapt(x, y).items()}
with torch.no_grad():
    print("after adaptation", loss_with(adapted, x, y).item())
