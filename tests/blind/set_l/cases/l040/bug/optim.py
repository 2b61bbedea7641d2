import torch


class PlainSGD:
    def __init__(self, params, lr=0.1, decay=0.0):
        self.params = list(params)
        self.lr, self.decay = lr, decay

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    def step(self):
        for i, p in enumerate(self.params):
            grad = p.grad + self.decay * p.detach()
            self.params[i] = p - self.lr * grad


class ExpDecay:
    def __init__(self, opt, gamma):
        self.opt, self.gamma = opt, gamma

    def step(self):
        self.opt.lr *= self.gamma
