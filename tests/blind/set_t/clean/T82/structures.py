from collections.abc import Mapping
from typing import NamedTuple
import torch


class Molecule(NamedTuple):
    atoms: torch.Tensor
    bonds: torch.Tensor
    energy: torch.Tensor
    name: str


class MoleculeBatch:
    """Disjoint union of graphs."""

    def __init__(self, molecules):
        sizes = [len(m.atoms) for m in molecules]
        shift = torch.tensor([0, *sizes[:-1]]).cumsum(0)
        self.atoms = torch.cat([m.atoms for m in molecules])
        self.bonds = torch.cat([m.bonds + s for m, s in zip(molecules, shift)], dim=1)
        self.owner = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
        self.energy = torch.stack([m.energy for m in molecules])
        self.names = [m.name for m in molecules]

    def __len__(self):
        return len(self.energy)

    def to(self, device):
        for key, value in vars(self).items():
            if torch.is_tensor(value):
                setattr(self, key, value.to(device))
        return self


def to_device(obj, device):
    if isinstance(obj, (torch.Tensor, MoleculeBatch)):
        return obj.to(device)
    if isinstance(obj, Mapping):
        return {k: to_device(v, device) for k, v in obj.items()}
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return type(obj)(*(to_device(v, device) for v in obj))
    if isinstance(obj, (list, tuple)):
        return type(obj)(to_device(v, device) for v in obj)
    return obj
