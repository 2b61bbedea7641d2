import numpy as np
import torch
from torch import nn


def mix(x, y, alpha, rng):
    lam = float(rng.beta(alpha, alpha))
    perm = torch.randperm(len(x))
    return lam * x + (1 - lam) * x[perm], y, y[perm], lam


class SmallConv(nn.Module):
    def __init__(self, k=5):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 6, 3, stride=2), nn.BatchNorm2d(6), nn.ReLU(inplace=True))
        self.head = nn.Linear(6, k)

    def forward(self, x):
        return self.head(self.stem(x).amax((2, 3)))


class MixupTrainer:
    def __init__(self, model, alpha=0.4, lr=0.1, seed=0):
        self.model = model
        self.alpha = alpha
        self.rng = np.random.default_rng(seed)
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)

    def compute(self, x, y):
        xm, ya, yb, lam = mix(x, y, self.alpha, self.rng)
        out = self.model(xm)
        return lam * self.criterion(out, ya) + (1 - lam) * self.criterion(out, yb)

    def step(self, x, y):
        loss = self.compute(x, y)
        loss.backward()
        self.optimizer.zero_grad()
        self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(3)
    net = SmallConv()
    start = net.head.weight.detach().clone()
    t = MixupTrainer(net)
    for _ in range(3):
        print(t.step(torch.randn(8, 1, 9, 9), torch.randint(0, 5, (8,))))
