from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class ClipConfig:
    image_dim: int = 48
    text_vocab: int = 50
    embed_dim: int = 16
    init_temperature: float = 0.07
    steps: int = 4

    @property
    def device(self):
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
