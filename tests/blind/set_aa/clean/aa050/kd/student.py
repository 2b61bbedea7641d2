import torch.nn as nn


class Student(nn.Module):
    """Carries its teachers along without owning them: they are neither saved nor trained with it."""

    def __init__(self, net, teachers):
        super().__init__()
        self.net = net
        self._teachers = tuple(t.eval().requires_grad_(False) for t in teachers)

    @property
    def teachers(self):
        return self._teachers

    def _apply(self, fn, *args, **kwargs):
        super()._apply(fn, *args, **kwargs)
        for t in self._teachers:
            t._apply(fn, *args, **kwargs)
        return self

    def forward(self, x):
        return self.net(x)
