from dataclasses import dataclass


@dataclass(frozen=True)
class SchNetConfig:
    species: int = 10
    width: int = 24
    cutoff: int = 6
    n_rbf: int = 12
    interactions: int = 2
    train_centers: bool = True
    lr: float = 2e-3
