import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import List

import torch


@dataclass
class Timing:
    name: str
    seconds: float


class Stopwatch:
    def __init__(self, device):
        self.device = torch.device(device)
        self.rows: List[Timing] = []

    def _sync(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    @contextmanager
    def section(self, name):
        self._sync()
        start = time.perf_counter()
        yield
        self._sync()
        self.rows.append(Timing(name, time.perf_counter() - start))

    def report(self):
        return {r.name: round(r.seconds, 4) for r in self.rows}
