import math

import torch


class AverageMeter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)

    def __str__(self):
        return f"{self.avg:.4f}"


@torch.no_grad()
def accuracy(output, target, topk=(1,)):
    _, pred = output.topk(max(topk), 1)
    correct = pred.t().eq(target.view(1, -1))
    return [correct[:k].reshape(-1).float().sum() / target.size(0) for k in topk]


def warmup_cosine(warmup, total):
    def f(e):
        if e < warmup:
            return (e + 1) / warmup
        return 0.5 * (1 + math.cos(math.pi * (e - warmup) / max(1, total - warmup)))
    return f
