import torch
from torch import nn
from torch.func import functional_call


class SineTask:
    def __init__(self, g):
        self.g = g
        self.amp = 0.5 + 4 * torch.rand(1, generator=g)
        self.phase = 3.14 * torch.rand(1, generator=g)

    def draw(self, n):
        x = 10 * torch.rand(n, 1, generator=self.g) - 5
        return x, self.amp * torch.sin(x + self.phase)


def mlp(hidden=24):
    return nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1))


class MAML:
    def __init__(self, model, inner_lr=0.01, inner_steps=2, first_order=False):
        self.model = model
        self.inner_lr = inner_lr
        self.inner_steps = inner_steps
        self.first_order = first_order

    def loss(self, params, x, y):
        return nn.functional.mse_loss(functional_call(self.model, params, (x,)), y)

    def adapt(self, x, y):
        params = dict(self.model.named_parameters())
        for _ in range(self.inner_steps):
            grads = torch.autograd.grad(
                self.loss(params, x, y), list(params.values()), create_graph=not self.first_order
            )
            params = {k: p - self.inner_lr * g for (k, p), g in zip(params.items(), grads)}
        return params

    def meta_loss(self, tasks, shots, queries):
        losses = []
        for task in tasks:
            fast = self.adapt(*task.draw(shots))
            losses.append(self.loss(fast, *task.draw(queries)))
        return torch.stack(losses).mean()


def train(iterations=4, batch=3):
    torch.manual_seed(0)
    g = torch.Generator().manual_seed(11)
    model = mlp()
    learner = MAML(model)
    outer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for it in range(iterations):
        loss = learner.meta_loss([SineTask(g) for _ in range(batch)], shots=5, queries=10)
        outer.zero_grad()
        loss.backward()
        outer.step()
        print(it, round(loss.item(), 4))
    return learner


def test(learner):
    task = SineTask(torch.Generator().manual_seed(99))
    fast = learner.adapt(*task.draw(10))
    fast = {k: v.detach() for k, v in fast.items()}
    x, y = task.draw(50)
    return learner.loss(fast, x, y).item()


if __name__ == "__main__":
    print("adapted", test(train()))
