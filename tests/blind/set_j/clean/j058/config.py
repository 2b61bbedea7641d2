from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Config:
    dim: int = 10
    classes: int = 3
    decay: float = 0.99
    consistency: float = 1.0
    steps: int = 4

    @property
    def device(self):
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
