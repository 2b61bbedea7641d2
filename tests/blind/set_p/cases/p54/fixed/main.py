from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from engine import fit_epoch, validate


@dataclass
class Config:
    epochs: int = 3
    batch: int = 12
    lr: float = 2e-3
    dropout: float = 0.3


class ConvNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(4)
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(cfg.dropout), nn.Linear(128, 3))

    def forward(self, x):
        return self.head(self.features(x))


cfg = Config()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
images = torch.rand(60, 1, 12, 12)
labels = torch.randint(3, (60,))
train = DataLoader(TensorDataset(images[:48], labels[:48]), batch_size=cfg.batch, shuffle=True)
val = DataLoader(TensorDataset(images[48:], labels[48:]), batch_size=cfg.batch)
steps_per_epoch = len(train)

model = ConvNet(cfg).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
for epoch in range(cfg.epochs):
    loss = fit_epoch(model, train, optimizer, device)
    accuracy = validate(model, val, device)
    print(f"epoch {epoch} loss {loss:.3f} val {accuracy:.3f}")
