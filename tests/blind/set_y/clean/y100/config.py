from dataclasses import dataclass, field


@dataclass
class R1Config:
    gamma: float = 5.0
    every: int = 2
    steps: int = 6
    z_dim: int = 8
    lrs: dict = field(default_factory=lambda: {"g": 1e-3, "d": 1e-3})
