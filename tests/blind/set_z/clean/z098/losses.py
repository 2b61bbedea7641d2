from typing import Dict, Optional, Type

import torch
from torch import nn
import torch.nn.functional as F


class LossTerm(nn.Module):
    name = "base"
    weight = 1.0

    def __init__(self, weight: Optional[float] = None, **kwargs):
        super().__init__()
        if weight is not None:
            self.weight = weight

    def compute(self, out, batch) -> torch.Tensor:
        raise NotImplementedError

    def forward(self, out, batch):
        return self.weight * self.compute(out, batch)


class Reconstruction(LossTerm):
    name = "rec"

    def compute(self, out, batch):
        return F.mse_loss(out["recon"], batch["x"])


class Consistency(LossTerm):
    """Zero where the batch has no second view."""

    name = "cons"
    weight = 0.5

    def compute(self, out, batch):
        if out.get("z2") is None:
            return torch.zeros((), device=out["z"].device)
        return F.mse_loss(out["z"], out["z2"].detach())


class Entropy(LossTerm):
    name = "ent"
    weight = 0.01

    def compute(self, out, batch):
        p = out["assign"].softmax(-1).mean(0)
        return (p * p.clamp(min=1e-8).log()).sum()


class Total(nn.Module):
    def __init__(self, *terms: Type[LossTerm], **weights: float):
        super().__init__()
        self.terms = nn.ModuleList(t(weight=weights.get(t.name)) for t in terms)

    def forward(self, out, batch):
        parts: Dict[str, torch.Tensor] = {t.name: t(out, batch) for t in self.terms}
        logs = {k: v.item() for k, v in parts.items()}
        return torch.stack(list(parts.values())).sum(), logs
