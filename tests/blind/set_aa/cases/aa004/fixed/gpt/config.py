from dataclasses import dataclass


@dataclass
class GPTConfig:
    vocab: int = 50
    dim: int = 32
    heads: int = 4
    layers: int = 2
    block: int = 24
    decay: float = 0.99
