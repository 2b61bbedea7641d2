import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def pgd(model, x, y, eps=0.1, alpha=0.02, steps=4):
    delta = torch.empty_like(x).uniform_(-eps, eps)
    for _ in range(steps):
        delta = delta.detach().requires_grad_(True)
        loss = F.cross_entropy(model(x + delta), y)
        (g,) = torch.autograd.grad(loss, delta)
        delta = (delta.detach() + alpha * g.sign()).clamp(-eps, eps)
        delta = (x + delta).clamp(0, 1) - x
    return (x + delta).detach()


def trades(model, x, y, beta=6.0):
    model.eval()
    adv = pgd(model, x, y)
    model.train()
    clean = model(x)
    robust = F.kl_div(F.log_softmax(model(adv), 1), F.softmax(clean, 1), reduction="batchmean")
    return F.cross_entropy(clean, y) + beta * robust


net = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 4)).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for it in range(3):
    x = torch.rand(12, 1, 8, 8).to(device)
    y = torch.randint(0, 4, (12,)).to(device)
    loss = trades(net, x, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item())
