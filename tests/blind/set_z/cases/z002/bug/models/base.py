from abc import ABC, abstractmethod

import torch.nn as nn


class BaseDetector(nn.Module, ABC):
    """Common interface of the detectors."""

    def __init__(self, strides=(4,)):
        super().__init__()
        self.strides = tuple(strides)

    @abstractmethod
    def predict_boxes(self, feats):
        ...

    @property
    def num_parameters(self) -> int:
        return sum(p.numel() for p in self.parameters())
