from __future__ import annotations

import logging
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger(__name__)


@dataclass
class Settings:
    channels: list[int] = field(default_factory=lambda: [1, 8, 16])
    num_classes: int = 5
    epochs: int = 1
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


def build_model(cfg: Settings) -> nn.Module:
    layers: list[nn.Module] = []
    for c_in, c_out in zip(cfg.channels, cfg.channels[1:]):
        layers += [nn.Conv2d(c_in, c_out, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(cfg.channels[-1], cfg.num_classes)]
    return nn.Sequential(*layers).to(cfg.device)


def accuracy(logits: Tensor, target: Tensor) -> float:
    return (logits.argmax(dim=-1) == target).float().mean().item()


def train_epoch(model: nn.Module, loader: DataLoader, opt: torch.optim.Optimizer, cfg: Settings) -> float:
    model.train()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    last = 0.0
    for images, labels in loader:
        images, labels = images.to(cfg.device), labels.to(cfg.device)
        opt.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        opt.step()
        last = loss.item()
    return last


@torch.no_grad()
def validate(model: nn.Module, loader: DataLoader, cfg: Settings) -> float:
    model.eval()
    scores = []
    for images, labels in loader:
        images, labels = images.to(cfg.device), labels.to(cfg.device)
        logits = model(images)
        scores.append(accuracy(logits, labels))
    return sum(scores) / len(scores)


def toy_split(n: int, classes: int) -> TensorDataset:
    return TensorDataset(torch.rand(n, 1, 16, 16), torch.randint(classes, (n,)))


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    cfg = Settings()
    model = build_model(cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    train_loader = DataLoader(toy_split(64, cfg.num_classes), batch_size=16, shuffle=True)
    val_loader = DataLoader(toy_split(32, cfg.num_classes), batch_size=16)
    for epoch in range(cfg.epochs):
        loss = train_epoch(model, train_loader, opt, cfg)
        log.info("epoch %d loss %.3f acc %.3f", epoch, loss, validate(model, val_loader, cfg))


if __name__ == "__main__":
    main()
