from abc import ABC, abstractmethod

import torch
from torch import nn


class Quantizer(nn.Module, ABC):
    @abstractmethod
    def quantize(self, z):
        ...

    def forward(self, z):
        return self.quantize(z)


class UniformQuantizer(Quantizer):
    """Finite scalar quantisation to a grid with `levels` points."""

    def __init__(self, levels=8, bound=1.0):
        super().__init__()
        self.levels, self.bound = levels, bound

    @property
    def step(self):
        return 2 * self.bound / (self.levels - 1)

    def quantize(self, z):
        z = self.bound * torch.tanh(z)
        q = torch.round(z / self.step) * self.step
        return z + (q - z).detach()


class Identity(Quantizer):
    def quantize(self, z):
        return z


QUANTIZERS = {"uniform": UniformQuantizer, "none": Identity}
