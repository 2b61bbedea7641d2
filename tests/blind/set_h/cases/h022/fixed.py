import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class PGD:
    """Projected gradient descent in the L-infinity ball."""

    def __init__(self, model, eps=8 / 255, alpha=2 / 255, steps=4):
        self.model = model
        self.eps, self.alpha, self.steps = eps, alpha, steps

    def perturb(self, x, y):
        delta = torch.empty_like(x).uniform_(-self.eps, self.eps)
        delta.requires_grad_()
        for _ in range(self.steps):
            loss = F.cross_entropy(self.model((x + delta).clamp(0, 1)), y)
            (grad,) = torch.autograd.grad(loss, delta)
            with torch.no_grad():
                delta.add_(self.alpha * grad.sign()).clamp_(-self.eps, self.eps)
        return (x + delta.detach()).clamp(0, 1)


def network():
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        nn.Flatten(), nn.Linear(96, 5),
    )


def batches(n, size, device):
    for _ in range(n):
        y = torch.randint(0, 5, (size,), device=device)
        x = torch.rand(size, 3, 16, 16, device=device) * 0.5
        x += (y.float() / 10)[:, None, None, None]
        yield x, y


def adversarial_training(args):
    model = network().to(args.device)
    attack = PGD(model, steps=args.attack_steps)
    opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=2e-4)
    for epoch in range(args.epochs):
        model.train()
        for x, y in batches(4, 16, args.device):
            x_adv = attack.perturb(x, y)
            opt.zero_grad()
            loss = F.cross_entropy(model(x_adv), y)
            loss.backward()
            opt.step()
        print(f"epoch {epoch} adversarial loss {loss.item():.3f}")
    return model


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--attack-steps", type=int, default=3)
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    adversarial_training(ap.parse_args())
