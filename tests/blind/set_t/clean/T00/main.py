import random
import torch
from torch import nn
import torch.nn.functional as F
from memory import EWC, Reservoir


class Tasks:
    def __init__(self, n_tasks, device, feats=12):
        self.perms = [torch.randperm(feats) for _ in range(n_tasks)]
        self.device = device

    def batch(self, t, n=16):
        x = torch.randn(n, 12)
        y = x[:, :3].argmax(1)
        return x[:, self.perms[t]].to(self.device), y.to(self.device)


@torch.no_grad()
def accuracy(model, tasks, t):
    model.eval()
    x, y = tasks.batch(t, 100)
    return (model(x).argmax(1) == y).float().mean().item()


def main(n_tasks=3, steps=8):
    random.seed(0)
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tasks = Tasks(n_tasks, device)
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    ewc, memory = EWC(model), Reservoir(60)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for t in range(n_tasks):
        for _ in range(steps):
            model.train()
            x, y = tasks.batch(t)
            loss = F.cross_entropy(model(x), y) + ewc.penalty()
            if len(memory):
                mx, my = memory.sample(16, device)
                loss = loss + F.cross_entropy(model(mx), my)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            memory.add(x, y)
        ewc.consolidate(tasks.batch(t, 20)[0], F.cross_entropy)
        print(t, [round(accuracy(model, tasks, k), 2) for k in range(t + 1)])


if __name__ == "__main__":
    main()
