from dataclasses import dataclass, field

import torch


def _default_device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


@dataclass
class Config:
    dim: int = 6
    hidden: int = 24
    epochs: int = 5
    batch_size: int = 32
    lr: float = 1e-2
    device: torch.device = field(default_factory=_default_device)

    @property
    def on_gpu(self):
        return self.device.type == "cuda"
