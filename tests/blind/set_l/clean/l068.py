import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


class SineTask:
    def __init__(self, gen):
        self.amp = 0.5 + 2 * torch.rand(1, generator=gen)
        self.phase = 3 * torch.rand(1, generator=gen)
        self.gen = gen

    def sample(self, k):
        x = torch.rand(k, 1, generator=self.gen) * 10 - 5
        return x, self.amp * torch.sin(x + self.phase)


class MAML:
    def __init__(self, model, inner_lr=0.05, inner_steps=2, meta_lr=2e-3):
        self.model = model
        self.inner_lr, self.inner_steps = inner_lr, inner_steps
        self.opt = torch.optim.Adam(model.parameters(), lr=meta_lr)

    def adapt(self, x, y):
        fast = dict(self.model.named_parameters())
        for _ in range(self.inner_steps):
            loss = F.mse_loss(functional_call(self.model, fast, (x,)), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
            fast = {k: p - self.inner_lr * g for (k, p), g in zip(fast.items(), grads)}
        return fast

    def meta_step(self, tasks, k=8):
        total = 0.0
        for task in tasks:
            fast = self.adapt(*task.sample(k))
            x, y = task.sample(k)
            total = total + F.mse_loss(functional_call(self.model, fast, (x,)), y)
        total = total / len(tasks)
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        return total.item()


gen = torch.Generator().manual_seed(0)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
maml = MAML(net)
for it in range(5):
    print(it, maml.meta_step([SineTask(gen) for _ in range(4)]))
