"""Gradient accumulation with a rest at the end of the epoch."""
import argparse
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class TrainArgs:
    accumulate: int = 4
    clip: float = 1.0
    epochs: int = 2
    lr: float = 1e-2


class Accumulator:
    """Decides when enough micro batches have been seen."""

    def __init__(self, every: int, total: int):
        self.every, self.total = every, total

    def due(self, i: int) -> bool:
        return (i + 1) % self.every == 0 or i + 1 == self.total

    def window(self, i: int) -> int:
        full = self.total - self.total % self.every
        return self.every if i < full else self.total % self.every


class Trainer:
    def __init__(self, model, args: TrainArgs):
        self.model, self.args = model, args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model.to(self.device)
        self.optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
        self.updates = 0

    def apply_gradients(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), self.args.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.updates += 1

    def fit(self, loader):
        criterion = nn.CrossEntropyLoss()
        plan = Accumulator(self.args.accumulate, len(loader))
        for _ in range(self.args.epochs):
            self.model.train()
            for i, (x, y) in enumerate(loader):
                x, y = x.to(self.device), y.to(self.device)
                loss = criterion(self.model(x), y) / plan.window(i)
                loss.backward()
                if plan.due(i):
                    self.apply_gradients()
        return self.updates


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--accumulate", type=int, default=4)
    ns = parser.parse_args()
    data = TensorDataset(torch.randn(44, 6), torch.randint(0, 3, (44,)))
    trainer = Trainer(nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3)), TrainArgs(accumulate=ns.accumulate))
    print(trainer.fit(DataLoader(data, batch_size=4, shuffle=True)))
