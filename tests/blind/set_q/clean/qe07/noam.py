import torch
import torch.nn.functional as F


class LabelSmoothing:
    def __init__(self, size, pad, smoothing):
        self.size, self.pad, self.smoothing = size, pad, smoothing

    def __call__(self, x, y):
        with torch.no_grad():
            true = torch.full_like(x, self.smoothing / (self.size - 2))
            true.scatter_(-1, y.unsqueeze(-1), 1 - self.smoothing)
            true[..., self.pad] = 0
            true.masked_fill_((y == self.pad).unsqueeze(-1), 0.0)
        return F.kl_div(x, true, reduction="sum")


class NoamOpt:
    def __init__(self, d, factor, warmup, optimizer):
        self.optimizer, self.n, self.d, self.factor, self.warmup = optimizer, 0, d, factor, warmup

    def rate(self):
        return self.factor * self.d ** -0.5 * min(self.n ** -0.5, self.n * self.warmup ** -1.5)

    def step(self):
        self.n += 1
        for g in self.optimizer.param_groups:
            g["lr"] = self.rate()
        self.optimizer.step()
