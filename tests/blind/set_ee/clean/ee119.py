from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class AttackConfig:
    eps: float = 0.1
    alpha: float = 0.03
    iters: int = 3
    random_start: bool = True


class eval_mode:
    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.was = self.model.training
        self.model.eval()

    def __exit__(self, *exc):
        self.model.train(self.was)


def pgd(model, x, y, cfg):
    adv = x.clone()
    if cfg.random_start:
        adv += torch.empty_like(adv).uniform_(-cfg.eps, cfg.eps)
        adv.clamp_(0, 1)
    with eval_mode(model):
        for _ in range(cfg.iters):
            adv.requires_grad_(True)
            loss = F.cross_entropy(model(adv), y)
            grad, = torch.autograd.grad(loss, adv)
            adv = adv.detach() + cfg.alpha * grad.sign()
            adv = torch.min(torch.max(adv, x - cfg.eps), x + cfg.eps).clamp(0, 1)
    return adv


def fgsm_with_grad_attribute(model, x, y, eps):
    delta = torch.zeros_like(x, requires_grad=True)
    F.cross_entropy(model(x + delta), y).backward()
    step = delta.grad.detach().sign()
    model.zero_grad()
    return (x + eps * step).clamp(0, 1)


def robust_accuracy(model, loader, device, cfg):
    model.eval()
    hits = total = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        adv = pgd(model, x, y, cfg)
        with torch.no_grad():
            hits += (model(adv).argmax(1) == y).sum().item()
        total += len(y)
    return hits / total


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    cfg = AttackConfig()
    model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 100, 3)).to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    data = TensorDataset(torch.rand(48, 1, 12, 12), torch.randint(0, 3, (48,)))
    loader = DataLoader(data, batch_size=16, shuffle=True)
    for epoch in range(2):
        model.train()
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            adv = pgd(model, x, y, cfg)
            loss = F.cross_entropy(model(adv), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item(), robust_accuracy(model, loader, device, cfg))
    x, y = next(iter(loader))
    adv = fgsm_with_grad_attribute(model, x.to(device), y.to(device), 0.1)
    print("moved", (adv.cpu() - x).abs().max().item())


if __name__ == "__main__":
    main()
