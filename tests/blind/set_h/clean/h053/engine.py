import torch
from torch import nn


def drop_gradients(params):
    for p in params:
        p.grad = None


class Accumulator:
    """One optimizer step for every `every` micro batches."""

    def __init__(self, optimizer, every=4, clip=1.0):
        self.optimizer, self.every, self.clip = optimizer, every, clip
        self.params = [p for g in optimizer.param_groups for p in g["params"]]
        self.seen = 0

    def add(self, loss):
        (loss / self.every).backward()
        self.seen += 1
        if self.seen == self.every:
            self.flush()

    def flush(self):
        if self.seen == 0:
            return
        nn.utils.clip_grad_norm_(self.params, self.clip)
        self.optimizer.step()
        drop_gradients(self.params)
        self.seen = 0


class SignSGD:
    """Works on gradients from autograd.grad; nothing is ever stored in .grad."""

    def __init__(self, params, lr):
        self.params, self.lr = list(params), lr

    @torch.no_grad()
    def step(self, grads):
        for p, g in zip(self.params, grads):
            p.sub_(g.sign(), alpha=self.lr)
