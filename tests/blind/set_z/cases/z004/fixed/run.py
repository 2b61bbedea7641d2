import logging
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F

from model import TabularNet

logging.basicConfig(level=logging.WARNING)


@dataclass
class Config:
    steps: int = 4
    lr: float = 1e-2
    spec: dict = field(default_factory=lambda: {
        "prices": {"type": "numeric", "in_features": 4},
        "shop": {"type": "category", "cardinality": 7},
    })
    device: str = field(default_factory=lambda: "cuda" if torch.cuda.is_available() else "cpu")


def batches(n, size=8):
    for _ in range(n):
        yield {"prices": torch.randn(size, 4), "shop": torch.randint(0, 7, (size,))}, torch.randn(size)


def main():
    cfg = Config()
    model = TabularNet(cfg.spec).to(cfg.device)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for features, y in batches(cfg.steps):
        features = {k: v.to(cfg.device) for k, v in features.items()}
        loss = F.mse_loss(model(features), y.to(cfg.device))
        opt.zero_grad()
        loss.backward()
        opt.step()
        logging.info("loss %.3f", loss.item())
    return model


if __name__ == "__main__":
    main()
