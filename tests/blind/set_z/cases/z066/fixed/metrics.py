import logging
from abc import ABC, abstractmethod
from typing import Dict

import torch

logger = logging.getLogger(__name__)


class Metric(ABC):
    def __init__(self, **kwargs):
        self.options = kwargs
        self.reset()

    @abstractmethod
    def reset(self):
        ...

    @abstractmethod
    def update(self, out, target):
        ...


class ClassHistogram(Metric):
    """Right and seen examples by class, added up without a host read per batch."""

    def reset(self):
        n = self.options["num_classes"]
        self.right = torch.zeros(n, device=self.options["device"])
        self.seen = torch.zeros(n, device=self.options["device"])

    def update(self, out, target):
        n = self.options["num_classes"]
        onehot = torch.nn.functional.one_hot(target, n).float()
        hit = (out.argmax(1) == target).float()
        self.right += (onehot * hit[:, None]).sum(0)
        self.seen += onehot.sum(0)

    def compute(self) -> Dict[str, float]:
        recall = self.right / self.seen.clamp(min=1)
        return {"balanced": recall.mean().item(), "worst": recall.min().item()}
