import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class HyperLR:
    """Learning rate and weight decay tuned by differentiating through unrolled steps."""

    def __init__(self, unroll=3):
        self.log_lr = torch.tensor(-3.0, device=device, requires_grad=True)
        self.log_wd = torch.tensor(-6.0, device=device, requires_grad=True)
        self.opt = torch.optim.Adam([self.log_lr, self.log_wd], lr=0.1)
        self.unroll = unroll

    def update(self, w, train, val):
        fast = [p.detach().clone().requires_grad_(True) for p in w]
        for _ in range(self.unroll):
            reg = self.log_wd.exp() * sum((p ** 2).sum() for p in fast)
            grads = torch.autograd.grad(net(fast, train[0], train[1]) + reg, fast, create_graph=True)
            fast = [p - self.log_lr.exp() * g for p, g in zip(fast, grads)]
        outer = net(fast, *val)
        self.opt.zero_grad()
        outer.backward()
        self.opt.step()
        return outer.detach()

    @property
    def lr(self):
        return self.log_lr.detach().exp()

    @property
    def wd(self):
        return self.log_wd.detach().exp()


def init(sizes):
    params = []
    for a, b in zip(sizes, sizes[1:]):
        params.append((torch.randn(a, b, device=device) / a ** 0.5).requires_grad_())
        params.append(torch.zeros(b, device=device, requires_grad=True))
    return params


def net(params, x, y):
    for w, b in zip(params[:-2:2], params[1:-2:2]):
        x = torch.tanh(x @ w + b)
    return F.mse_loss((x @ params[-2] + params[-1]).squeeze(-1), y)


def main():
    params = init([4, 16, 1])
    tuner = HyperLR()
    x = torch.randn(80, 4, device=device)
    y = torch.sin(x).sum(1)
    train, val = (x[:60], y[:60]), (x[60:], y[60:])
    for it in range(12):
        if it % 3 == 0:
            outer = tuner.update(params, train, val)
        loss = net(params, *train)
        grads = torch.autograd.grad(loss, params)
        with torch.no_grad():
            for p, g in zip(params, grads):
                p -= tuner.lr * (g + 2 * tuner.wd * p)
    print(loss.item(), outer.item(), tuner.lr.item(), tuner.wd.item())


main()
