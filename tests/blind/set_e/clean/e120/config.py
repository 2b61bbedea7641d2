from dataclasses import dataclass, field
from typing import Optional

import torch


@dataclass
class OptimConfig:
    name: str = "AdamW"
    lr: float = 1e-3
    kwargs: dict = field(default_factory=lambda: {"weight_decay": 0.01})

    def build(self, params):
        return getattr(torch.optim, self.name)(params, lr=self.lr, **self.kwargs)


@dataclass
class Config:
    dim: int = 6
    steps: int = 3
    device: Optional[str] = None
    optim: OptimConfig = field(default_factory=OptimConfig)

    def __post_init__(self):
        if self.device is None:
            self.device = "cuda" if torch.cuda.is_available() else "cpu"

    @property
    def torch_device(self):
        return torch.device(self.device)
