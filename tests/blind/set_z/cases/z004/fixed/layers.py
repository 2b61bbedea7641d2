from typing import Dict, Type

import torch
from torch import nn

ENCODERS: Dict[str, Type[nn.Module]] = {}


def encoder(name: str):
    def deco(cls):
        ENCODERS[name] = cls
        return cls
    return deco


@encoder("numeric")
class NumericEncoder(nn.Module):
    def __init__(self, dim, in_features=4, **kw):
        super().__init__()
        self.norm = nn.LayerNorm(in_features)
        self.proj = nn.Linear(in_features, dim)

    def forward(self, x):
        return self.proj(self.norm(x))


@encoder("category")
class CategoryEncoder(nn.Module):
    def __init__(self, dim, cardinality=10, **kw):
        super().__init__()
        self.table = nn.Embedding(cardinality, dim)

    def forward(self, x):
        return self.table(x)


def make_encoders(spec: Dict[str, dict], dim: int) -> Dict[str, nn.Module]:
    """One encoder per column group, in the order of the specification."""
    made = {}
    for column, options in spec.items():
        options = dict(options)
        made[column] = ENCODERS[options.pop("type")](dim, **options)
    return made
