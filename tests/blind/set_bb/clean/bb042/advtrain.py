import torch
import torch.nn as nn
import torch.nn.functional as F
from attacks import fgsm, pgd

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Flatten(), nn.Linear(25, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 4)).to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.05)


def trades(x, x_adv, y, beta=3.0):
    clean = model(x)
    kl = F.kl_div(F.log_softmax(model(x_adv), 1), F.softmax(clean, 1), reduction="batchmean")
    return F.cross_entropy(clean, y) + beta * kl


def robust_accuracy(x, y, attack):
    adv = attack(model, x, y)
    model.eval()
    with torch.no_grad():
        return (model(adv).argmax(1) == y).float().mean().item()


for it in range(4):
    model.train()
    x = torch.rand(16, 1, 5, 5, device=device)
    y = torch.randint(0, 4, (16,), device=device)
    loss = trades(x, pgd(model, x, y), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
for attack in (fgsm, pgd):
    print(attack.__name__, robust_accuracy(x, y, attack))
