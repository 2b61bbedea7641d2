import torch
from torch import nn
import torch.nn.functional as F

from moco import MoCo


def views(x):
    return x + 0.1 * torch.randn_like(x), x * (torch.rand_like(x) > 0.1)


def encoder(d=10, dim=6):
    return nn.Sequential(nn.Linear(d, 24), nn.ReLU(), nn.Linear(24, dim))


def pretrain(steps=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MoCo(encoder()).to(device)
    opt = torch.optim.SGD(model.q.parameters(), lr=0.05)
    for step in range(steps):
        logits = model(*views(torch.randn(8, 10, device=device)))
        loss = F.cross_entropy(logits, torch.zeros(8, dtype=torch.long, device=device))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    pretrain()
