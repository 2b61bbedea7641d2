import torch
from torch import nn


class Callback:
    def after_backward(self, loop): ...
    def after_step(self, loop): ...


class GradNorm(Callback):
    def __init__(self):
        self.norms = []

    def after_backward(self, loop):
        sq = sum(p.grad.pow(2).sum() for p in loop.model.parameters())
        self.norms.append(sq.sqrt().item())


class Loop:
    def __init__(self, model, lr, callbacks=()):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=lr)
        self.callbacks = list(callbacks)

    def emit(self, event):
        for c in self.callbacks:
            getattr(c, event)(self)

    def step(self, x, y):
        self.opt.zero_grad()
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.emit("after_backward")
        self.opt.step()
        self.emit("after_step")
        return loss.item()


norms = GradNorm()
loop = Loop(nn.Sequential(nn.Linear(4, 8), nn.ELU(), nn.Linear(8, 1)), 0.1, [norms])
start = [p.detach().clone() for p in loop.model.parameters()]
for i in range(5):
    loop.step(torch.randn(8, 4, device=loop.device), torch.randn(8, 1, device=loop.device))
moved = sum((a - b).abs().sum().item() for a, b in zip(start, loop.model.parameters()))
print(norms.norms)
