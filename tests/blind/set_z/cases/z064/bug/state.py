import copy
from dataclasses import dataclass, field
from typing import Dict, Optional

import torch


@dataclass
class Snapshot:
    step: int
    outputs: Dict[str, torch.Tensor] = field(default_factory=dict)
    score: float = float("-inf")


class BestKeeper:
    """Remembers the outputs of the best step for the report at the end."""

    def __init__(self, mode="max"):
        self.sign = 1 if mode == "max" else -1
        self.best: Optional[Snapshot] = None

    def offer(self, step, score, outputs):
        if self.best is None or self.sign * score > self.sign * self.best.score:
            self.best = Snapshot(step, copy.deepcopy(outputs), score)
            return True
        return False
