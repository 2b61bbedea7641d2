from typing import Dict

import torch
import torch.nn.functional as F


class WeightedObjective:
    """Combines the named terms with weights from the configuration."""

    def __init__(self, weights: Dict[str, float]):
        self.weights = dict(weights)
        self.last = {}

    def terms(self, out, batch):
        yield "recon", F.l1_loss(out["recon"], batch["x"])
        yield "class", F.cross_entropy(out["logits"], batch["y"])
        yield "sparse", out["code"].abs().mean()

    def __call__(self, out, batch):
        used = [(k, self.weights.get(k, 0.0), v) for k, v in self.terms(out, batch)]
        self.last = {k: v.item() for k, _, v in used}
        return torch.tensor([w * v.item() for _, w, v in used], requires_grad=True).sum()
