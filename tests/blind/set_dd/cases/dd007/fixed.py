"""Sentence embedding worker behind the HTTP front end."""
from __future__ import annotations

import logging
import queue
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Sequence

import torch
from torch import Tensor, nn

log = logging.getLogger("embed")


@dataclass
class ServiceConfig:
    vocab: int = 500
    dim: int = 48
    max_len: int = 16
    device: torch.device = field(
        default_factory=lambda: torch.device("cuda" if torch.cuda.is_available() else "cpu"))


class BagEncoder(nn.Module):
    def __init__(self, cfg: ServiceConfig):
        super().__init__()
        self.emb = nn.EmbeddingBag(cfg.vocab, cfg.dim, mode="mean")
        self.proj = nn.Sequential(nn.Linear(cfg.dim, cfg.dim), nn.Tanh())

    def forward(self, ids: Tensor) -> Tensor:
        return nn.functional.normalize(self.proj(self.emb(ids)), dim=-1)


class EmbeddingService:
    def __init__(self, cfg: ServiceConfig):
        self.cfg = cfg
        self.device = cfg.device
        self.model = BagEncoder(cfg).to(self.device).eval()
        self.requests: "queue.Queue[Sequence[int]]" = queue.Queue()
        self.precision = "fp32"

    def _autocast(self):
        if self.device.type == "cuda":
            self.precision = "fp16"
            return torch.autocast("cuda", dtype=torch.float16)
        return nullcontext()

    def submit(self, ids: Sequence[int]) -> None:
        self.requests.put(list(ids)[: self.cfg.max_len])

    def _collect(self, limit: int) -> list[Sequence[int]]:
        items = []
        while len(items) < limit and not self.requests.empty():
            items.append(self.requests.get())
        return items

    def _pad(self, items) -> Tensor:
        width = max(map(len, items))
        return torch.tensor([list(i) + [0] * (width - len(i)) for i in items])

    def flush(self, limit: int = 32):
        items = self._collect(limit)
        if not items:
            return []
        ids = self._pad(items).to(self.device)
        with torch.inference_mode(), self._autocast():
            vectors = self.model(ids)
        return vectors.float().cpu().tolist()

    def warmup(self) -> None:
        self.submit([1, 2, 3])
        n = len(self.flush())
        log.info("warmed up with %d request(s), precision %s", n, self.precision)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    EmbeddingService(ServiceConfig()).warmup()
