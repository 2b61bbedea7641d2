import torch
import torch.nn as nn

from options import Options


class Loop:
    def __init__(self, model, criterion, opts=None):
        self.model = model
        self.criterion = criterion
        self.opts = opts or Options()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=self.opts.lr, momentum=self.opts.momentum)
        self.updates = 0

    def micro_step(self, x, y):
        loss = self.criterion(self.model(x), y)
        (loss / self.opts.accumulate).backward()
        return loss.item()

    def apply(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), self.opts.clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.updates += 1

    def epoch(self, batches):
        self.model.train()
        self.optimizer.zero_grad()
        total = 0.0
        for i, (x, y) in enumerate(batches, start=1):
            total += self.micro_step(x, y)
            if i % self.opts.accumulate == 0:
                self.apply()
        return total / max(len(batches), 1)
