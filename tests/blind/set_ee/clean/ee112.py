import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


class SineTask:
    def __init__(self, gen):
        self.amp = torch.rand(1, generator=gen) * 4.9 + 0.1
        self.phase = torch.rand(1, generator=gen) * 3.14
        self.gen = gen

    def sample(self, k, device):
        x = torch.rand(k, 1, generator=self.gen) * 10 - 5
        y = self.amp * torch.sin(x + self.phase)
        return x.to(device), y.to(device)


class MAML:
    def __init__(self, model, inner_lr=0.01, outer_lr=1e-3, inner_steps=2, first_order=False):
        self.model = model
        self.inner_lr = inner_lr
        self.inner_steps = inner_steps
        self.first_order = first_order
        self.meta_opt = torch.optim.Adam(model.parameters(), lr=outer_lr)

    def adapt(self, x, y):
        fast = dict(self.model.named_parameters())
        for _ in range(self.inner_steps):
            loss = F.mse_loss(functional_call(self.model, fast, (x,)), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=not self.first_order)
            fast = {name: w - self.inner_lr * g for (name, w), g in zip(fast.items(), grads)}
        return fast

    def meta_step(self, tasks, k, device):
        outer = 0.0
        for task in tasks:
            fast = self.adapt(*task.sample(k, device))
            x_q, y_q = task.sample(k, device)
            outer = outer + F.mse_loss(functional_call(self.model, fast, (x_q,)), y_q)
        outer = outer / len(tasks)
        self.meta_opt.zero_grad()
        outer.backward()
        self.meta_opt.step()
        return outer.item()

    def evaluate(self, task, k, device):
        fast = self.adapt(*task.sample(k, device))
        with torch.no_grad():
            x, y = task.sample(50, device)
            return F.mse_loss(functional_call(self.model, fast, (x,)), y).item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    gen = torch.Generator().manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1)).to(device)
    maml = MAML(net)
    for it in range(10):
        loss = maml.meta_step([SineTask(gen) for _ in range(4)], k=10, device=device)
        if it % 5 == 0:
            print(it, round(loss, 3))
    print("adapted", maml.evaluate(SineTask(gen), 10, device))


if __name__ == "__main__":
    main()
