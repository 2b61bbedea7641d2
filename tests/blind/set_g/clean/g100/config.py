from dataclasses import dataclass, field

import torch


def default_device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


@dataclass
class Config:
    dim: int = 8
    width: int = 24
    lr: float = 3e-3
    steps: int = 4
    clip: float = 1.0
    device: torch.device = field(default_factory=default_device)
