from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Config:
    n_way: int = 4
    k_shot: int = 3
    queries: int = 5
    dim: int = 10
    episodes: int = 3
    device: str = "cuda" if torch.cuda.is_available() else "cpu"
