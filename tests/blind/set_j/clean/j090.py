import torch
import torch.nn as nn


class Lookahead:
    def __init__(self, base, k=3, alpha=0.5):
        self.base, self.k, self.alpha, self.n = base, k, alpha, 0
        self.slow = [p.detach().clone() for g in base.param_groups for p in g["params"]]

    @property
    def param_groups(self):
        return self.base.param_groups

    def zero_grad(self):
        self.base.zero_grad()

    def step(self):
        self.base.step()
        self.n += 1
        if self.n % self.k:
            return
        fast = [p for g in self.base.param_groups for p in g["params"]]
        with torch.no_grad():
            for s, f in zip(self.slow, fast):
                s += self.alpha * (f - s)
                f.copy_(s)


def logistic(w, b, x):
    return torch.sigmoid(x @ w + b)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
w = torch.zeros(5, device=device, requires_grad=True)
b = torch.zeros((), device=device, requires_grad=True)
opt = Lookahead(torch.optim.SGD([{"params": [w]}, {"params": [b], "lr": 0.5}], lr=0.1, momentum=0.9))
truth = torch.tensor([1.0, -2.0, 0.5, 0.0, 3.0], device=device)
for step in range(9):
    x = torch.randn(64, 5, device=device)
    y = (x @ truth > 0).float()
    loss = nn.functional.binary_cross_entropy(logistic(w, b, x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    for g in opt.param_groups:
        g["lr"] *= 0.95
print(loss.item(), w.detach().cpu().numpy().round(2))
