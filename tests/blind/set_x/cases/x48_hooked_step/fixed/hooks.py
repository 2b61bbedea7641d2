"""Trainer with overridable hooks around the optimisation step."""
import torch


class Hook:
    def before_backward(self, trainer, loss):
        pass

    def after_backward(self, trainer):
        pass

    def after_step(self, trainer):
        pass


class GradStats(Hook):
    """Remembers the largest gradient of every step."""

    def __init__(self):
        self.values = []

    def after_backward(self, trainer):
        grads = [p.grad.abs().max() for p in trainer.model.parameters() if p.grad is not None]
        if grads:
            self.values.append(torch.stack(grads).max())


class ResetGradients(Hook):
    def after_step(self, trainer):
        trainer.optimizer.zero_grad()
