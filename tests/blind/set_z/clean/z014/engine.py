import logging
import math
from contextlib import nullcontext
from typing import Iterable, Optional

import torch

logger = logging.getLogger(__name__)


class SmoothedValue:
    def __init__(self, momentum=0.9):
        self.value: Optional[float] = None
        self.momentum = momentum

    def update(self, v: float):
        self.value = v if self.value is None else self.momentum * self.value + (1 - self.momentum) * v


def train_one_epoch(model, criterion, loader: Iterable, optimizer, device, epoch, scheduler=None,
                    accum=1, max_norm=0.0, distributed=False):
    """Gradients of `accum` batches are added up before each update."""
    model.train()
    meter = SmoothedValue()
    optimizer.zero_grad()
    num = len(loader)
    for i, (samples, targets) in enumerate(loader):
        samples = samples.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        last = (i + 1) % accum == 0 or i + 1 == num
        sync = model.no_sync() if distributed and not last else nullcontext()
        with sync:
            loss = criterion(model(samples), targets)
            (loss / accum).backward()
        value = loss.item()
        if not math.isfinite(value):
            raise RuntimeError(f"loss is {value}")
        meter.update(value)
        if last:
            if max_norm > 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
            optimizer.zero_grad()
            if scheduler is not None:
                scheduler.step()
    logger.info("epoch %d loss %.4f", epoch, meter.value)
    return meter.value


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    hits, total = torch.zeros((), device=device), 0
    for samples, targets in loader:
        out = model(samples.to(device))
        hits += (out.argmax(1) == targets.to(device)).sum()
        total += targets.size(0)
    return (hits / total).item()
