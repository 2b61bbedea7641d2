import logging
from typing import Dict, Iterable, Tuple

import torch
from torch import nn

logger = logging.getLogger(__name__)


class FeatureBank:
    """Runs the frozen encoder once and keeps what it said."""

    def __init__(self, encoder: nn.Module, device):
        self.encoder = encoder.eval().to(device)
        self.device = device
        self._cache: Dict[str, Tuple[torch.Tensor, torch.Tensor]] = {}

    @torch.inference_mode()
    def build(self, split: str, loader: Iterable):
        feats, labels = [], []
        for x, y in loader:
            feats.append(self.encoder(x.to(self.device)))
            labels.append(y.to(self.device))
        self._cache[split] = torch.cat(feats), torch.cat(labels)
        logger.info("%s: %d features", split, len(labels))
        return self

    def __getitem__(self, split):
        return self._cache[split]

    def batches(self, split, size, shuffle=True):
        f, y = self[split]
        order = torch.randperm(len(y)) if shuffle else torch.arange(len(y))
        for idx in order.split(size):
            yield f[idx.to(f.device)], y[idx.to(y.device)]
