"""Attribution methods for a trained tabular model (integrated gradients, SmoothGrad) and robust accuracy."""
from abc import ABC, abstractmethod

import torch
from torch import nn
import torch.nn.functional as F


class Explainer(ABC):
    def __init__(self, model):
        self.model = model.eval()

    def input_gradient(self, x, target):
        x = x.detach().clone().requires_grad_(True)
        picked = self.model(x).gather(1, target.unsqueeze(1)).sum()
        grad, = torch.autograd.grad(picked, x)
        return grad

    @abstractmethod
    def attribute(self, x, target):
        ...


class IntegratedGradients(Explainer):
    def __init__(self, model, steps=8):
        super().__init__(model)
        self.steps = steps

    def attribute(self, x, target):
        total = torch.zeros_like(x)
        for a in torch.linspace(0, 1, self.steps).tolist():
            total += self.input_gradient(a * x, target)
        return x * total / self.steps


class SmoothGrad(Explainer):
    def __init__(self, model, sigma=0.1, n=5):
        super().__init__(model)
        self.sigma, self.n = sigma, n

    def attribute(self, x, target):
        noisy = (x + self.sigma * torch.randn_like(x) for _ in range(self.n))
        return torch.stack([self.input_gradient(z, target) for z in noisy]).mean(0)


def pgd(model, x, y, eps=0.1, steps=3):
    adv = (x + torch.empty_like(x).uniform_(-eps, eps)).detach()
    for _ in range(steps):
        adv.requires_grad_(True)
        grad, = torch.autograd.grad(F.cross_entropy(model(adv), y), adv)
        adv = (x + (adv.detach() + eps / 2 * grad.sign() - x).clamp(-eps, eps))
    return adv


def robust_accuracy(model, loader):
    model.eval()
    right = n = 0
    for x, y in loader:
        adv = pgd(model, x, y)
        with torch.no_grad():
            right += (model(adv).argmax(1) == y).sum().item()
        n += len(y)
    return right / n


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 3)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.randn(90, 6, device=device)
    y = x[:, :3].argmax(1)
    for _ in range(20):
        model.train()
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
    for explainer in (IntegratedGradients(model), SmoothGrad(model)):
        a = explainer.attribute(x[:16], y[:16])
        print(type(explainer).__name__, a.abs().mean(0).tolist())
    print("robust accuracy", robust_accuracy(model, zip(x.split(30), y.split(30))))


if __name__ == "__main__":
    main()
