import functools

import torch


def evaluating(method):
    """Runs a method of a holder of `.model` in evaluation mode, then restores the mode."""

    @functools.wraps(method)
    def inner(self, *args, **kwargs):
        before = self.model.training
        self.model.eval()
        try:
            with torch.inference_mode():
                return method(self, *args, **kwargs)
        finally:
            self.model.train(before)

    return inner
