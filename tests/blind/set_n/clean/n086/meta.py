import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call
from tasks import Sines


class MAML:
    def __init__(self, net, inner_lr=0.05, inner_steps=2):
        self.net, self.inner_lr, self.inner_steps = net, inner_lr, inner_steps
        self.opt = torch.optim.Adam(net.parameters(), lr=1e-3)

    def adapt(self, x, y):
        fast = dict(self.net.named_parameters())
        for _ in range(self.inner_steps):
            loss = F.mse_loss(functional_call(self.net, fast, (x,)), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
            fast = {n: w - self.inner_lr * g for (n, w), g in zip(fast.items(), grads)}
        return fast

    def outer(self, tasks):
        total = 0.0
        for (xs, ys), (xq, yq) in tasks:
            total = total + F.mse_loss(functional_call(self.net, self.adapt(xs, ys), (xq,)), yq)
        total = total / len(tasks)
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        return total.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
learner = MAML(nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)).to(device))
source = Sines(device)
for it in range(3):
    print(it, learner.outer([source.sample(5) for _ in range(3)]))
