import torch
import torch.nn as nn
import torch.nn.functional as F


class PGD:
    def __init__(self, model, eps=0.1, alpha=0.03, steps=3):
        self.model = model
        self.eps, self.alpha, self.steps = eps, alpha, steps

    def __call__(self, x, y):
        delta = torch.empty_like(x).uniform_(-self.eps, self.eps).requires_grad_()
        for _ in range(self.steps):
            loss = F.cross_entropy(self.model(x + delta), y)
            grad, = torch.autograd.grad(loss, delta)
            with torch.no_grad():
                delta += self.alpha * grad.sign()
                delta.clamp_(-self.eps, self.eps)
        return (x + delta).clamp(0, 1).detach()


def robust_accuracy(model, attack, batches, device):
    model.eval()
    hits = total = 0
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        adv = attack(x, y)
        with torch.no_grad():
            hits += (model(adv).argmax(1) == y).sum().item()
        total += len(y)
    return hits / total


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    attack = PGD(model)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    batches = [(torch.rand(8, 1, 4, 4), torch.randint(0, 3, (8,))) for _ in range(3)]
    for epoch in range(2):
        for x, y in batches:
            x, y = x.to(device), y.to(device)
            model.eval()
            adv = attack(x, y)
            model.train()
            loss = F.cross_entropy(model(adv), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item(), robust_accuracy(model, attack, batches, device))


if __name__ == "__main__":
    main()
