import logging

import torch

logger = logging.getLogger(__name__)


class GradualUnfreeze:
    """Opens one more block per epoch and hands its weights to the optimizer."""

    def __init__(self, optimizer, blocks, lr, decay=0.5):
        self.optimizer, self.lr, self.decay = optimizer, lr, decay
        self.waiting = list(reversed(list(blocks)))
        self.opened = 0
        for b in self.waiting:
            b.requires_grad_(False)

    def step(self):
        if not self.waiting:
            return False
        block = self.waiting.pop(0)
        block.requires_grad_(True)
        self.opened += 1
        self.optimizer.add_param_group({"params": list(block.parameters()), "lr": self.lr * self.decay ** self.opened})
        logger.info("opened block %d", self.opened)
        return True


class WarmRestart:
    """Drops the momentum when the task changes."""

    def __init__(self, make):
        self.make = make
        self.optimizer = make()

    def restart(self):
        self.optimizer = self.make()
        return self.optimizer
