"""Binary classifier with an expected calibration error computed once per epoch."""
import numpy as np
import torch
from torch import nn


class ECE:
    def __init__(self, bins=10):
        self.edges = np.linspace(0, 1, bins + 1)
        self.probs, self.labels = [], []

    def add(self, probs, labels):
        self.probs.append(probs)
        self.labels.append(labels)

    def compute(self):
        p = torch.cat(self.probs).cpu().numpy()
        y = torch.cat(self.labels).cpu().numpy()
        which = np.clip(np.digitize(p, self.edges) - 1, 0, len(self.edges) - 2)
        error = 0.0
        for b in range(len(self.edges) - 1):
            inside = which == b
            if inside.any():
                error += inside.mean() * abs(p[inside].mean() - y[inside].mean())
        return float(error)


class Runner:
    def __init__(self, model, device):
        self.model = model.to(device)
        self.device = device
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)

    def epoch(self, batches):
        metric = ECE()
        for x, y in batches:
            x, y = x.to(self.device), y.to(self.device)
            logits = self.model(x).squeeze(-1)
            loss = nn.functional.binary_cross_entropy_with_logits(logits, y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            metric.add(logits.sigmoid(), y)
        return metric.compute()


def batches(n):
    for _ in range(n):
        x = torch.randn(32, 4)
        yield x, (x.sum(dim=1) > 0).float()


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    runner = Runner(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)), dev)
    for e in range(2):
        print(e, runner.epoch(batches(3))) 
