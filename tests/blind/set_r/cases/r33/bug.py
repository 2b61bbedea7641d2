"""Training with per-sample weights (importance of each record is given by the survey)."""
import torch
import torch.nn as nn


class Mlp(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        self.net = nn.Sequential(*layers[:-1])

    def forward(self, x):
        return self.net(x)


class WeightedLoss(nn.Module):
    def __init__(self, smoothing=0.0):
        super().__init__()
        self.ce = nn.CrossEntropyLoss(reduction="none", label_smoothing=smoothing)

    def forward(self, scores, target, weight):
        loss = self.ce(scores, target) * weight
        return loss / weight.sum()


class Learner:
    def __init__(self, sizes, lr=0.01):
        self.model = Mlp(sizes)
        self.criterion = WeightedLoss(0.05)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)

    def step(self, x, y, w):
        self.model.train()
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x), y, w)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 10.0)
        self.optimizer.step()
        return float(loss.detach())

    def fit(self, batches, epochs=1):
        for _ in range(epochs):
            for x, y, w in batches:
                yield self.step(x, y, w)
