import torch
from torch import nn


class Tracker:
    def __init__(self):
        self.values = []

    def push(self, v):
        self.values.append(v)

    def mean(self):
        return float(sum(self.values)) / len(self.values)


def run(tracker, steps=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(3, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(steps):
        x = torch.randn(8, 3, device=device)
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tracker.push(loss)
    print(tracker.mean())
