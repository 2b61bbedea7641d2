import torch
from torch import nn
import torch.nn.functional as F


def train_victim(device, steps=10):
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(steps):
        x = torch.rand(32, 1, 8, 8, device=device)
        y = x.flatten(1)[:, :4].argmax(1)
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
    return net.eval()


def pgd(net, x, y, eps=0.1, alpha=0.02, iters=5):
    adv = (x + torch.empty_like(x).uniform_(-eps, eps)).clamp(0, 1)
    adv.requires_grad_(True)
    for _ in range(iters):
        loss = F.cross_entropy(net(adv), y)
        grad, = torch.autograd.grad(loss, adv)
        adv = adv.detach() + alpha * grad.sign()
        adv = torch.min(torch.max(adv, x - eps), x + eps).clamp(0, 1).requires_grad_(True)
    return adv.detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = train_victim(device)
    x = torch.rand(16, 1, 8, 8, device=device)
    y = x.flatten(1)[:, :4].argmax(1)
    adv = pgd(net, x, y)
    with torch.no_grad():
        clean = (net(x).argmax(1) == y).float().mean().item()
        robust = (net(adv).argmax(1) == y).float().mean().item()
    print(f"clean {clean:.2f} robust {robust:.2f}")


main()
