import torch
import torch.nn.functional as F


class frozen:
    """with frozen(model): ... -- weights get no gradient, the mode is kept"""

    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.flags = [(p, p.requires_grad) for p in self.model.parameters()]
        self.mode = self.model.training
        self.model.eval()
        for p, _ in self.flags:
            p.requires_grad_(False)

    def __exit__(self, *a):
        for p, f in self.flags:
            p.requires_grad_(f)
        self.model.train(self.mode)


def pgd(model, x, y, eps=0.1, step=0.04, iters=3):
    delta = torch.zeros_like(x).uniform_(-eps, eps)
    delta.requires_grad_(True)
    with frozen(model):
        for _ in range(iters):
            loss = F.cross_entropy(model(x + delta), y)
            g, = torch.autograd.grad(loss, [delta])
            with torch.no_grad():
                delta += step * g.sign()
                delta.clamp_(-eps, eps)
                delta.copy_((x + delta).clamp(0, 1) - x)
    return (x + delta).detach()


def fgsm(model, x, y, eps=0.1):
    x = x.detach().clone().requires_grad_()
    with frozen(model):
        F.cross_entropy(model(x), y).backward()
    return (x + eps * x.grad.sign()).clamp(0, 1).detach()
