"""Multi-label tagging with average precision computed in numpy."""
from typing import List

import numpy as np
import torch


class AveragePrecision:
    def __init__(self):
        self.scores: List[torch.Tensor] = []
        self.targets: List[torch.Tensor] = []

    def update(self, scores: torch.Tensor, targets: torch.Tensor):
        self.scores.append(scores.detach().float().cpu())
        self.targets.append(targets.cpu())

    def compute(self):
        s = torch.cat(self.scores).numpy()
        t = torch.cat(self.targets).numpy()
        order = np.argsort(-s, axis=0)
        hits = np.take_along_axis(t, order, axis=0)
        precision = np.cumsum(hits, axis=0) / np.arange(1, len(hits) + 1)[:, None]
        return float((precision * hits).sum() / max(hits.sum(), 1))
