"""MAML on sinusoids."""
from collections import OrderedDict

import torch
from torch import nn
import torch.nn.functional as F
from torch.func import functional_call


class Task:
    def __init__(self, device):
        self.amplitude = 0.5 + torch.rand(1, device=device)
        self.phase = torch.rand(1, device=device) * 3
        self.device = device

    def draw(self, n):
        x = torch.rand(n, 1, device=self.device) * 10 - 5
        return x, self.amplitude * torch.sin(x + self.phase)


class MAML:
    def __init__(self, model, inner_lr=0.01, inner_steps=2, first_order=False):
        self.model = model
        self.inner_lr = inner_lr
        self.inner_steps = inner_steps
        self.first_order = first_order
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-3)

    def _loss(self, params, batch):
        x, y = batch
        return F.mse_loss(functional_call(self.model, params, (x,)), y)

    def adapt(self, support):
        params = OrderedDict(self.model.named_parameters())
        for _ in range(self.inner_steps):
            loss = self._loss(params, support)
            grads = torch.autograd.grad(loss, list(params.values()), create_graph=not self.first_order)
            params = OrderedDict((n, p - self.inner_lr * g) for (n, p), g in zip(params.items(), grads))
        return params

    def meta_step(self, tasks):
        losses = []
        for task in tasks:
            adapted = self.adapt(task.draw(10))
            losses.append(self._loss(adapted, task.draw(10)))
        meta = torch.stack(losses).mean()
        self.opt.zero_grad()
        meta.backward()
        self.opt.step()
        return meta.detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1)).to(device)
    maml = MAML(net)
    curve = [maml.meta_step([Task(device) for _ in range(3)]) for _ in range(4)]
    print(torch.stack(curve).tolist())


if __name__ == "__main__":
    main()
