import torch
import torch.nn as nn
import torch.nn.functional as F


class PGD:
    """Projected gradient descent inside an l-inf ball."""

    def __init__(self, model, device, eps=0.03, alpha=0.01, steps=4):
        self.model, self.device = model, device
        self.eps, self.alpha, self.steps = eps, alpha, steps

    def init_delta(self, shape):
        return torch.zeros(shape, requires_grad=True).to(self.device)

    def perturb(self, x, y):
        delta = self.init_delta(x.shape)
        for _ in range(self.steps):
            logits = self.model(x + delta)
            loss = F.cross_entropy(logits, y)
            loss.backward()
            with torch.no_grad():
                delta += self.alpha * delta.grad.sign()
                delta.clamp_(-self.eps, self.eps)
                delta.grad.zero_()
        return (x + delta).clamp(0, 1).detach()


def robust_accuracy(model, attack, batches, device):
    hits = total = 0
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        adv = attack.perturb(x, y)
        with torch.no_grad():
            hits += (model(adv).argmax(1) == y).sum().item()
        total += y.numel()
    return hits / total


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Conv2d(1, 4, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 7 * 7, 10)).to(device)
    net.eval()
    net.requires_grad_(False)
    data = [(torch.rand(8, 1, 16, 16), torch.randint(0, 10, (8,))) for _ in range(2)]
    print(robust_accuracy(net, PGD(net, device), data, device))


if __name__ == "__main__":
    main()
