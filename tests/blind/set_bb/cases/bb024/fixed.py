import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Callback:
    def on_backward(self, loop): ...
    def on_step(self, loop): ...


class GradNorm(Callback):
    """Remembers the norm of the gradient of every layer."""

    def __init__(self):
        self.rows = []

    def on_backward(self, loop):
        self.rows.append({n: p.grad.norm().item() for n, p in loop.model.named_parameters() if p.grad is not None})

    def on_step(self, loop):
        loop.clear()
        if len(self.rows) > 100:
            self.rows.pop(0)


class Warmup(Callback):
    def __init__(self, base, steps):
        self.base, self.steps, self.i = base, steps, 0

    def on_step(self, loop):
        self.i += 1
        k = min(1.0, self.i / self.steps)
        for g in loop.opt.param_groups:
            g["lr"] = self.base * 0.5 * (1 + math.cos(math.pi * (1 - k)))


class Loop:
    def __init__(self, model, lr, callbacks=()):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=lr)
        self.callbacks = list(callbacks)

    def clear(self):
        self.opt.zero_grad()

    def emit(self, name):
        for cb in self.callbacks:
            getattr(cb, name)(self)

    def batch(self, x, y):
        loss = F.mse_loss(self.model(x.to(self.device)), y.to(self.device))
        loss.backward()
        self.emit("on_backward")
        self.opt.step()
        self.emit("on_step")
        return loss.item()

    def run(self, data, epochs):
        self.model.train()
        return [sum(self.batch(x, y) for x, y in data) / len(data) for _ in range(epochs)]


def dataset(n=6, bs=16):
    w = torch.randn(4, 1)
    xs = [torch.randn(bs, 4) for _ in range(n)]
    return [(x, x @ w) for x in xs]


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
state = {"before": net[0].weight.detach().clone()}
loop = Loop(net, lr=0.05, callbacks=[GradNorm(), Warmup(0.05, 5)])
curve = loop.run(dataset(), epochs=3)
state["after"] = net[0].weight.detach().cpu().clone()
print([round(c, 4) for c in curve], len(loop.callbacks[0].rows))
