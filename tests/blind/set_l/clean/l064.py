import torch
import torch.nn as nn
import torch.nn.functional as F


class Attack:
    """PGD: needs input gradients although the model is in eval mode."""

    def __init__(self, model, eps=0.1, alpha=0.03, steps=4):
        self.model, self.eps, self.alpha, self.steps = model, eps, alpha, steps

    def __call__(self, x, y):
        was_training = self.model.training
        self.model.eval()
        delta = torch.empty_like(x).uniform_(-self.eps, self.eps)
        for _ in range(self.steps):
            delta.requires_grad_(True)
            loss = F.cross_entropy(self.model(x + delta), y)
            (grad,) = torch.autograd.grad(loss, delta)
            delta = (delta.detach() + self.alpha * grad.sign()).clamp(-self.eps, self.eps)
        self.model.train(was_training)
        return x + delta


def robust_accuracy(model, batches, attack):
    model.eval()
    right = total = 0
    for x, y in batches:
        adv = attack(x, y)
        with torch.no_grad():
            right += (model(adv).argmax(1) == y).sum().item()
        total += len(y)
    return right / total


def data(n, device):
    out = []
    for _ in range(n):
        y = torch.randint(0, 2, (32,), device=device)
        out.append((torch.randn(32, 6, device=device) * 0.5 + y[:, None], y))
    return out


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, 2)).to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    attack = Attack(model)
    for epoch in range(2):
        model.train()
        for x, y in data(4, device):
            adv = attack(x, y)
            loss = F.cross_entropy(model(adv), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, robust_accuracy(model, data(2, device), attack))


main()
