import gc
import itertools
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Trial:
    width: int
    lr: float
    loss: float = float("inf")


def release():
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.clear_cache()


class Sweep:
    def __init__(self, space, steps=3):
        self.trials = [Trial(*v) for v in itertools.product(*space.values())]
        self.steps = steps
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def fit(self, trial):
        net = nn.Sequential(nn.Linear(5, trial.width), nn.ReLU(), nn.Linear(trial.width, 1)).to(self.device)
        opt = torch.optim.SGD(net.parameters(), lr=trial.lr)
        for _ in range(self.steps):
            x = torch.randn(32, 5, device=self.device)
            loss = (net(x) - x.pow(2).sum(1, keepdim=True)).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        trial.loss = loss.item()

    def run(self):
        for trial in self.trials:
            try:
                self.fit(trial)
            finally:
                release()
        return min(self.trials, key=lambda t: t.loss)


if __name__ == "__main__":
    print(Sweep({"width": [4, 8], "lr": [0.1, 0.01]}).run())
