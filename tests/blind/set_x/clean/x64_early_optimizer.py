"""Builds everything from a config, then places it."""
import argparse
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class OptimConfig:
    name: str = "adamw"
    lr: float = 1e-3
    decay: float = 0.01


def split_decay(model: nn.Module, decay: float):
    plain, decayed = [], []
    for p in model.parameters():
        (plain if p.ndim < 2 else decayed).append(p)
    return [{"params": decayed, "weight_decay": decay}, {"params": plain, "weight_decay": 0.0}]


def make_optimizer(model, cfg: OptimConfig):
    groups = split_decay(model, cfg.decay)
    cls = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}[cfg.name]
    return cls(groups, lr=cfg.lr)


class Workspace:
    def __init__(self, cfg: OptimConfig):
        self.model = nn.Sequential(nn.Linear(6, 24), nn.LayerNorm(24), nn.GELU(), nn.Linear(24, 2))
        self.optimizer = make_optimizer(self.model, cfg)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, step_size=2, gamma=0.5)
        self.device = torch.device("cpu")

    def place(self, device):
        self.device = torch.device(device)
        self.model.to(self.device)
        return self

    def train(self, epochs, batches):
        for _ in range(epochs):
            for x, y in batches:
                x, y = x.to(self.device), y.to(self.device)
                self.optimizer.zero_grad()
                nn.functional.cross_entropy(self.model(x), y).backward()
                self.optimizer.step()
            self.scheduler.step()
        return self.scheduler.get_last_lr()


def resolve(name):
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return name


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="auto")
    args = parser.parse_args()
    data = [(torch.randn(8, 6), torch.randint(0, 2, (8,))) for _ in range(3)]
    print(Workspace(OptimConfig()).place(resolve(args.device)).train(3, data))
