"""Adversarial training with projected gradient descent."""
import torch
from torch import nn
import torch.nn.functional as F


class PGD:
    def __init__(self, eps=0.1, alpha=0.03, steps=3):
        self.eps, self.alpha, self.steps = eps, alpha, steps

    def _start(self, x):
        return torch.empty_like(x).uniform_(-self.eps, self.eps).requires_grad_(True)

    def __call__(self, model, x, y):
        was_training = model.training
        model.eval()
        delta = self._start(x)
        for _ in range(self.steps):
            loss = F.cross_entropy(model(x + delta), y)
            (grad,) = torch.autograd.grad(loss, delta)
            with torch.no_grad():
                delta += self.alpha * grad.sign()
                delta.clamp_(-self.eps, self.eps)
        model.train(was_training)
        return (x + delta).detach()


class FreeNoise:
    """Keeps the perturbation of the last batch as a start for the next."""

    def __init__(self, shape, eps, device):
        self.noise = torch.zeros(shape, device=device)
        self.eps = eps

    def perturb(self, x):
        self.live = self.noise.clone().requires_grad_(True)
        return x + self.live

    def learn(self):
        self.noise = (self.noise + self.eps * self.live.grad.sign()).clamp(-self.eps, self.eps)
        del self.live


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 3)).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    attack, free = PGD(), FreeNoise((16, 6), 0.05, device)
    net.train()
    for _ in range(3):
        x = torch.randn(16, 6, device=device)
        y = x[:, :3].argmax(1)
        hard = attack(net, x, y)
        opt.zero_grad()
        loss = F.cross_entropy(net(hard), y) + F.cross_entropy(net(free.perturb(x)), y)
        loss.backward()
        opt.step()
        free.learn()


if __name__ == "__main__":
    main()
