import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class MAML:
    def __init__(self, model, inner_lr=0.05, outer_lr=1e-3, inner_steps=2, first_order=False):
        self.model = model
        self.inner_lr, self.inner_steps, self.first_order = inner_lr, inner_steps, first_order
        self.meta = torch.optim.Adam(model.parameters(), lr=outer_lr)

    def adapt(self, x, y):
        fast = dict(self.model.named_parameters())
        for _ in range(self.inner_steps):
            loss = F.mse_loss(functional_call(self.model, fast, (x,)), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=not self.first_order)
            fast = {k: w - self.inner_lr * g for (k, w), g in zip(fast.items(), grads)}
        return fast

    def outer_step(self, tasks):
        self.meta.zero_grad()
        total = 0.0
        for xs, ys, xq, yq in tasks:
            fast = self.adapt(xs, ys)
            query = F.mse_loss(functional_call(self.model, fast, (xq,)), yq) / len(tasks)
            query.backward()
            total += query.item()
        self.meta.step()
        return total


def sine_task(k=10):
    amp, phase = torch.rand(2).tolist()
    x = torch.rand(2 * k, 1, device=device) * 10 - 5
    y = (amp * 4 + 0.1) * torch.sin(x + phase * 3)
    return x[:k], y[:k], x[k:], y[k:]


net = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 1)).to(device)
maml = MAML(net)
for it in range(3):
    print(it, maml.outer_step([sine_task() for _ in range(3)]))
