import math
from dataclasses import dataclass, field

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class TrainConfig:
    n_features: int = 10
    hidden: list = field(default_factory=lambda: [32, 16])
    n_classes: int = 3
    epochs: int = 2
    lr: float = 1e-2
    balanced: bool = True


class TabularNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        sizes = [cfg.n_features, *cfg.hidden]
        blocks = []
        for a, b in zip(sizes, sizes[1:]):
            blocks += [nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU()]
        self.body = nn.Sequential(*blocks)
        self.head = nn.Linear(sizes[-1], cfg.n_classes)

    def forward(self, x):
        return self.head(self.body(x))


def class_weights(labels, n_classes):
    counts = torch.bincount(labels, minlength=n_classes).float()
    return counts.sum() / (n_classes * counts.clamp(min=1))


class Trainer:
    def __init__(self, cfg, labels):
        self.cfg = cfg
        self.device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
        self.model = TabularNet(cfg).to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        weight = class_weights(labels, cfg.n_classes) if cfg.balanced else None
        self.criterion = nn.CrossEntropyLoss(weight=weight).to(self.device)

    def training_step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        loss = self.criterion(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def fit(self, loader):
        best = math.inf
        for epoch in range(self.cfg.epochs):
            self.model.train()
            losses = [self.training_step(x, y) for x, y in loader]
            best = min(best, sum(losses) / len(losses))
        return best


features = torch.randn(90, 10)
labels = (features[:, 0] > 0.8).long() + (features[:, 1] > 0).long()
cfg = TrainConfig()
trainer = Trainer(cfg, labels)
print("best", trainer.fit(DataLoader(TensorDataset(features, labels), batch_size=30, shuffle=True)))
