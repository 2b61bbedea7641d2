from typing import Dict, List, Optional

import numpy as np
import torch


def to_numpy(x):
    if torch.is_tensor(x):
        return x.detach().cpu().numpy()
    return np.asarray(x)


class RetrievalMetric:
    """Recall@k over all queries, computed at the end of the epoch on the host."""

    def __init__(self, ks=(1, 5)):
        self.ks = ks
        self.reset()

    def reset(self):
        self._feats: List[np.ndarray] = []
        self._ids: List[np.ndarray] = []

    def update(self, feats, ids):
        self._feats.append(to_numpy(feats))
        self._ids.append(to_numpy(ids))

    def compute(self) -> Dict[str, float]:
        f, ids = np.concatenate(self._feats), np.concatenate(self._ids)
        f = f / np.maximum(np.linalg.norm(f, axis=1, keepdims=True), 1e-8)
        sim = f @ f.T
        np.fill_diagonal(sim, -np.inf)
        order = np.argsort(-sim, axis=1)
        out = {}
        for k in self.ks:
            out[f"r@{k}"] = float((ids[order[:, :k]] == ids[:, None]).any(1).mean())
        return out


class MetricLogger:
    def __init__(self, window: int = 20):
        self.window = window
        self.data: Dict[str, List[float]] = {}

    def log(self, **values):
        for k, v in values.items():
            if torch.is_tensor(v):
                v = v.item()
            self.data.setdefault(k, []).append(v)

    def mean(self, k: str) -> Optional[float]:
        seq = self.data.get(k, [])[-self.window:]
        return float(np.mean(seq)) if seq else None
