import torch
import torch.nn.functional as F


class PGD:
    def __init__(self, model, eps=0.1, alpha=0.03, steps=3):
        self.model, self.eps, self.alpha, self.steps = model, eps, alpha, steps

    def perturb(self, x, y):
        delta = torch.empty_like(x).uniform_(-self.eps, self.eps)
        for _ in range(self.steps):
            delta.requires_grad_()
            loss = F.cross_entropy(self.model(x + delta), y)
            g, = torch.autograd.grad(loss, delta)
            delta = (delta.detach() + self.alpha * g.sign()).clamp(-self.eps, self.eps)
        return (x + delta).clamp(0, 1)


class NoAttack:
    def perturb(self, x, y):
        return x
