import torch
import torch.nn.functional as F
from torch import nn

from heads import MultiTask

TASKS = {"age": 1, "gender": 2, "mood": 5}


def loss_for(task, out, y):
    if TASKS[task] == 1:
        return F.mse_loss(out, y)
    return F.cross_entropy(out, y)


def sample(task, n, device):
    x = torch.randn(n, 20, device=device)
    if TASKS[task] == 1:
        return x, torch.randn(n, 1, device=device)
    return x, torch.randint(0, TASKS[task], (n,), device=device)


def train(rounds=2):
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    net = MultiTask(nn.Linear(20, 12), TASKS).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for r in range(rounds):
        total = 0.0
        for task in TASKS:
            x, y = sample(task, 8, device)
            loss = loss_for(task, net(x, task), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(r, total)


if __name__ == "__main__":
    train()
