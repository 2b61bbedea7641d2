import logging
import threading
from typing import Any, Dict, List, Optional, Union

import numpy as np
import torch
from torch import nn

logger = logging.getLogger(__name__)
ArrayLike = Union[np.ndarray, torch.Tensor, List[float]]


class Preprocess:
    def __init__(self, mean=0.5, std=0.25):
        self.mean, self.std = mean, std

    def __call__(self, x: ArrayLike) -> torch.Tensor:
        t = torch.as_tensor(np.asarray(x, dtype=np.float32))
        return (t - self.mean) / self.std


class Predictor:
    """Thread-safe wrapper; whoever calls it need not know where the model is."""

    def __init__(self, model: nn.Module, device: Optional[str] = None, max_batch=4):
        if device is None:
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self.model = model.to(device).eval()
        self.pre, self.max_batch = Preprocess(), max_batch
        self._lock = threading.Lock()

    @property
    def device(self):
        return next(self.model.parameters()).device

    def to(self, device):
        with self._lock:
            self.model.to(device)
        return self

    @torch.no_grad()
    def predict(self, rows: List[ArrayLike]) -> List[Dict[str, Any]]:
        out = []
        for start in range(0, len(rows), self.max_batch):
            x = torch.stack([self.pre(r) for r in rows[start:start + self.max_batch]])
            with self._lock:
                probs = self.model(x.to(self.device)).softmax(-1)
            score, label = probs.max(-1)
            out += [{"label": int(l), "score": round(float(s), 4)} for l, s in zip(label.cpu(), score.cpu())]
        return out
