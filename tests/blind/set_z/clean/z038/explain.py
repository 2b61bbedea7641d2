from abc import ABC, abstractmethod

import torch


class Explainer(ABC):
    def __init__(self, model):
        self.model = model

    @abstractmethod
    def attribute(self, x, target):
        ...

    def explain_loader(self, loader, device):
        self.model.eval()
        rows = []
        for x, y in loader:
            rows.append(self.attribute(x.to(device), y.to(device)).cpu())
        return torch.cat(rows)


class Saliency(Explainer):
    def attribute(self, x, target):
        x = x.detach().clone().requires_grad_(True)
        score = self.model(x).gather(1, target[:, None]).sum()
        grad, = torch.autograd.grad(score, x)
        return grad.abs()


class IntegratedGradients(Explainer):
    def __init__(self, model, steps=8):
        super().__init__(model)
        self.steps = steps

    def attribute(self, x, target):
        base = torch.zeros_like(x)
        total = torch.zeros_like(x)
        for k in range(1, self.steps + 1):
            point = (base + k / self.steps * (x - base)).requires_grad_(True)
            score = self.model(point).gather(1, target[:, None]).sum()
            total += torch.autograd.grad(score, point)[0]
        return total / self.steps * (x - base)


def get_explainer(name, model, **kw):
    return {"saliency": Saliency, "ig": IntegratedGradients}[name](model, **kw)
