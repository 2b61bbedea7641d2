import torch

from hooks import order


class IterRunner:
    def __init__(self, model, optimizer, loss_fn, hooks=()):
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn
        self.hooks = order(list(hooks))
        self.iter = 0
        self.buffer = {}

    def call(self, name):
        for h in self.hooks:
            getattr(h, name)(self)

    def run(self, loader, max_iters):
        self.model.train()
        while self.iter < max_iters:
            for batch in loader:
                if self.iter >= max_iters:
                    break
                self.call("before_iter")
                self.optimizer.zero_grad()
                loss = self.loss_fn(self.model, batch)
                loss.backward()
                self.buffer["loss"] = loss.item()
                self.call("after_backward")
                self.optimizer.step()
                self.iter += 1
                self.call("after_iter")
