import logging
from contextlib import nullcontext
from typing import Callable, Dict, List

import torch

logger = logging.getLogger(__name__)


class Events:
    """Named hooks; bound methods are passed on and called later."""

    def __init__(self):
        self.table: Dict[str, List[Callable]] = {}

    def on(self, event, fn):
        self.table.setdefault(event, []).append(fn)
        return self

    def fire(self, event, *args):
        for fn in self.table.get(event, []):
            fn(*args)


class PhaseTrainer:
    def __init__(self, model, optimizer, loss_fn, device):
        self.model, self.optimizer, self.loss_fn, self.device = model, optimizer, loss_fn, device
        self.events = Events()
        self.history: Dict[str, List[float]] = {"train": [], "val": []}

    def run_phase(self, phase, loader):
        training = phase == "train"
        self.model.train(training)
        total = n = 0
        with nullcontext() if training else torch.no_grad():
            for x, y in loader:
                x, y = x.to(self.device), y.to(self.device)
                loss = self.loss_fn(self.model(x), y)
                if training:
                    self.events.fire("before_backward")
                    loss.backward()
                    self.events.fire("after_backward")
                total += loss.item() * len(y)
                n += len(y)
        self.history[phase].append(total / n)
        return total / n

    def fit(self, loaders, epochs):
        for epoch in range(epochs):
            for phase in ("train", "val"):
                value = self.run_phase(phase, loaders[phase])
                logger.info("%d %s %.4f", epoch, phase, value)
            self.events.fire("epoch_end", epoch, self.history["val"][-1])
