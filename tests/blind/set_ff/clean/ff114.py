import abc

import torch
from torch import nn
import torch.nn.functional as F

ATTACKS = {}


def attack(name):
    def deco(cls):
        ATTACKS[name] = cls
        return cls
    return deco


class Attack(abc.ABC):
    def __init__(self, model, eps):
        self.model, self.eps = model, eps

    @abc.abstractmethod
    def perturb(self, x, y):
        ...

    def __call__(self, x, y):
        was_training = self.model.training
        self.model.eval()
        try:
            return self.perturb(x, y).detach()
        finally:
            self.model.train(was_training)


@attack("fgsm")
class FGSM(Attack):
    def perturb(self, x, y):
        x = x.clone().requires_grad_(True)
        loss = F.cross_entropy(self.model(x), y)
        grad, = torch.autograd.grad(loss, x)
        return (x + self.eps * grad.sign()).clamp(0, 1)


@attack("pgd")
class PGD(Attack):
    def __init__(self, model, eps, steps=3):
        super().__init__(model, eps)
        self.steps, self.alpha = steps, eps / 2

    def perturb(self, x, y):
        adv = (x + torch.empty_like(x).uniform_(-self.eps, self.eps)).clamp(0, 1)
        for _ in range(self.steps):
            adv = adv.detach().requires_grad_(True)
            with torch.enable_grad():
                loss = F.cross_entropy(self.model(adv), y)
            loss.backward(inputs=[adv])
            with torch.no_grad():
                adv = adv + self.alpha * adv.grad.sign()
                adv = torch.max(torch.min(adv, x + self.eps), x - self.eps).clamp(0, 1)
        return adv


def net():
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4),
                         nn.Flatten(), nn.Linear(128, 4))


def robust_train(kind, steps=3, eps=0.1):
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = net().to(device)
    attacker = ATTACKS[kind](model, eps)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model.train()
    for _ in range(steps):
        x = torch.rand(8, 1, 12, 12, device=device)
        y = torch.randint(0, 4, (8,), device=device)
        adv = attacker(x, y)
        loss = 0.5 * (F.cross_entropy(model(x), y) + F.cross_entropy(model(adv), y))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    for kind in ATTACKS:
        print(kind, robust_train(kind))
