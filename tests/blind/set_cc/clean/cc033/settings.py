from dataclasses import dataclass

import torch


@dataclass
class Settings:
    lr: float = 1e-2
    epochs: int = 2
    workdir: str = "."
    use_gpu: bool = True

    @property
    def device(self):
        return torch.device("cuda" if self.use_gpu and torch.cuda.is_available() else "cpu")
