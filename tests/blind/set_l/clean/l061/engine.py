import torch


class Accumulator:
    """Steps once per `every` micro batches; the rest only adds gradients."""

    def __init__(self, optimizer, every, max_norm=None):
        self.optimizer, self.every, self.max_norm = optimizer, every, max_norm
        self.pending = 0

    def backward(self, loss):
        (loss / self.every).backward()
        self.pending += 1
        if self.pending == self.every:
            self.flush()

    def flush(self):
        if not self.pending:
            return
        if self.max_norm:
            params = [p for g in self.optimizer.param_groups for p in g["params"]]
            torch.nn.utils.clip_grad_norm_(params, self.max_norm)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.pending = 0
