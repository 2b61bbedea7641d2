from dataclasses import dataclass


@dataclass
class Options:
    lr: float = 0.1
    accumulate: int = 2
    clip: float = 10.0
    momentum: float = 0.0
