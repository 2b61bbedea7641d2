import torch


class StepInBackward:
    """Updates each weight as soon as its gradient is complete and drops the gradient."""

    def __init__(self, params, factory):
        self.optimizers = {}
        self.updates = 0
        for p in params:
            if p.requires_grad:
                self.optimizers[p] = factory([p])
                p.register_post_accumulate_grad_hook(self._hook)

    def _hook(self, p):
        opt = self.optimizers[p]
        opt.step()
        p.grad = None
        self.updates += 1

    def set_lr(self, lr):
        for opt in self.optimizers.values():
            for group in opt.param_groups:
                group["lr"] = lr
