from abc import ABC, abstractmethod

import torch


class Metric(ABC):
    def __init__(self):
        self.reset()

    @abstractmethod
    def reset(self):
        ...

    @abstractmethod
    def update(self, pred, target):
        ...

    @abstractmethod
    def compute(self) -> float:
        ...


class Accuracy(Metric):
    def reset(self):
        self.correct, self.seen = 0, 0

    def update(self, pred, target):
        self.correct += (pred.argmax(-1) == target).sum().item()
        self.seen += target.numel()

    def compute(self):
        return self.correct / max(1, self.seen)


class MetricBundle(dict):
    def update_all(self, pred, target):
        for m in self.values():
            m.update(pred, target)

    def compute(self):
        return {k: m.compute() for k, m in self.items()}
