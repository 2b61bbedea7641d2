from typing import List

import torch


class SignSGD:
    """Hand-written optimizer over a list of tensors."""

    def __init__(self, params, lr=1e-2, weight_decay=0.0):
        self.params: List[torch.Tensor] = list(params)
        self.lr, self.weight_decay = lr, weight_decay

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    @torch.no_grad()
    def step(self):
        for p in self.params:
            if p.grad is None:
                continue
            update = p.grad.sign()
            if self.weight_decay:
                update = update + self.weight_decay * p
            p = p - self.lr * update

    def scale_lr(self, factor):
        self.lr *= factor


class Plateau:
    def __init__(self, optimizer, patience=2, factor=0.5):
        self.optimizer, self.patience, self.factor = optimizer, patience, factor
        self.best, self.waited = float("inf"), 0

    def step(self, value):
        if value < self.best:
            self.best, self.waited = value, 0
        else:
            self.waited += 1
            if self.waited > self.patience:
                self.optimizer.scale_lr(self.factor)
                self.waited = 0
