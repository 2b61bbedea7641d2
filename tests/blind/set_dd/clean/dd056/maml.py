import torch
import torch.nn.functional as F
from torch import nn

from sinusoids import SinusoidTasks


class MAML:
    def __init__(self, sizes=(1, 20, 20, 1), inner_lr=0.01, meta_lr=1e-3, device="cpu"):
        self.weights = nn.ParameterDict()
        for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
            self.weights[f"w{i}"] = nn.Parameter(torch.randn(b, a, device=device) * (2 / a) ** 0.5)
            self.weights[f"b{i}"] = nn.Parameter(torch.zeros(b, device=device))
        self.depth = len(sizes) - 1
        self.inner_lr = inner_lr
        self.meta_opt = torch.optim.Adam(self.weights.parameters(), lr=meta_lr)

    def predict(self, x, w):
        for i in range(self.depth):
            x = F.linear(x, w[f"w{i}"], w[f"b{i}"])
            if i + 1 < self.depth:
                x = F.relu(x)
        return x

    def adapt(self, support, steps=2, second_order=True):
        x, y = support
        fast = dict(self.weights.items())
        for _ in range(steps):
            loss = F.mse_loss(self.predict(x, fast), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=second_order)
            fast = {k: v - self.inner_lr * g for (k, v), g in zip(fast.items(), grads)}
        return fast

    def meta_step(self, tasks):
        self.meta_opt.zero_grad()
        outer = 0.0
        for support, query in tasks:
            fast = self.adapt(support)
            loss = F.mse_loss(self.predict(query[0], fast), query[1]) / len(tasks)
            loss.backward()
            outer += loss.item()
        nn.utils.clip_grad_norm_(self.weights.parameters(), 10.0)
        self.meta_opt.step()
        return outer

    def evaluate(self, task):
        support, query = task
        fast = self.adapt(support, steps=4, second_order=False)
        with torch.no_grad():
            return F.mse_loss(self.predict(query[0], fast), query[1]).item()


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tasks, learner = SinusoidTasks(device=device), MAML(device=device)
    for it in range(4):
        print(it, learner.meta_step([tasks.sample() for _ in range(3)]))
    print("after adaptation", learner.evaluate(tasks.sample()))
