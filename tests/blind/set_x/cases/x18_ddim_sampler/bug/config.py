from dataclasses import dataclass, field

import torch


def default_device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


@dataclass
class SamplerConfig:
    steps: int = 5
    eta: float = 0.5
    shape: tuple = (1, 8, 8)
    seed: int = 7
    device: str = field(default_factory=default_device)
