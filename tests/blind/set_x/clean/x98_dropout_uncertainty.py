"""Monte-Carlo dropout: dropout stays active while batch norm is frozen."""
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import nn


class Prediction(NamedTuple):
    mean: torch.Tensor
    entropy: torch.Tensor


@contextmanager
def stochastic(model: nn.Module):
    """Evaluation mode with the dropout layers switched on; restores every module."""
    modes = {m: m.training for m in model.modules()}
    model.eval()
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()
    try:
        yield model
    finally:
        for m, mode in modes.items():
            m.training = mode


class Net(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(7, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Dropout(0.3), nn.Linear(24, 24), nn.ReLU(), nn.Dropout(0.3))
        self.head = nn.Linear(24, classes)

    def forward(self, x):
        return self.head(self.body(x))


@torch.no_grad()
def predict(model, x, draws=8) -> Prediction:
    with stochastic(model):
        probs = torch.stack([model(x).softmax(-1) for _ in range(draws)]).mean(0)
    return Prediction(probs, -(probs * probs.clamp(min=1e-9).log()).sum(-1))


class ActiveLearner:
    def __init__(self, pool, labels, device):
        self.x, self.y = pool.to(device), labels.to(device)
        self.known = torch.zeros(len(pool), dtype=torch.bool, device=device)
        self.known[:8] = True
        self.model = Net().to(device)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-2)

    def fit(self, steps=3):
        self.model.train()
        for _ in range(steps):
            loss = nn.functional.cross_entropy(self.model(self.x[self.known]), self.y[self.known])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    def acquire(self, k=4):
        entropy = predict(self.model, self.x).entropy.masked_fill(self.known, -1.0)
        self.known[entropy.topk(k).indices] = True


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(40, 7)
    learner = ActiveLearner(x, x[:, :4].argmax(1), device)
    for _ in range(3):
        learner.fit()
        learner.acquire()
    print(int(learner.known.sum()))
