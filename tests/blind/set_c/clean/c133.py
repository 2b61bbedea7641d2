"""Adversarial training with PGD."""
import torch
from torch import nn


def pgd(model, x, y, eps=0.1, alpha=0.03, steps=3):
    delta = torch.empty_like(x).uniform_(-eps, eps).requires_grad_(True)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(model(x + delta), y)
        (grad,) = torch.autograd.grad(loss, delta)
        with torch.no_grad():
            delta += alpha * grad.sign()
            delta.clamp_(-eps, eps)
    return (x + delta).detach()


def fgsm(model, x, y, eps=0.1):
    x = x.clone().detach().requires_grad_(True)
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    return (x + eps * x.grad.sign()).detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        x = torch.randn(6, 8, device=device)
        y = torch.randint(0, 3, (6,), device=device)
        x_adv = pgd(model, x, y) if step % 2 else fgsm(model, x, y)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x_adv), y)
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
