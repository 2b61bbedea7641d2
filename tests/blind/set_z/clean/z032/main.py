from dataclasses import dataclass, field
import argparse

import torch

from trainer import Contrastive


def default_device():
    return "cuda" if torch.cuda.is_available() else "cpu"


@dataclass
class Config:
    lr: float = 1e-3
    temperature: float = 0.2
    log_every: int = 2
    steps: int = 4
    device: str = field(default_factory=default_device)

    @classmethod
    def from_args(cls):
        parser = argparse.ArgumentParser()
        for name, f in cls.__dataclass_fields__.items():
            if name != "device":
                parser.add_argument(f"--{name}", type=f.type, default=f.default)
        parser.add_argument("--device", default=default_device())
        return cls(**vars(parser.parse_args()))


def views(steps, n=8):
    for _ in range(steps):
        base = torch.randn(n, 8)
        yield base + 0.1 * torch.randn(n, 8), base + 0.1 * torch.randn(n, 8)


if __name__ == "__main__":
    cfg = Config.from_args()
    trainer = Contrastive(cfg)
    trainer.fit(views(cfg.steps))
