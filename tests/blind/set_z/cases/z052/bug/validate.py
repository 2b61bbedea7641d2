import logging
from typing import Dict

import torch

logger = logging.getLogger(__name__)


class Validator:
    def __init__(self, loader, device, metrics: Dict[str, callable]):
        self.loader, self.device, self.metrics = loader, device, metrics

    @torch.no_grad()
    def __call__(self, model):
        model.eval()
        sums, n = {k: 0.0 for k in self.metrics}, 0
        for x, y in self.loader:
            out = model(x.to(self.device)).cpu()
            for k, fn in self.metrics.items():
                sums[k] += fn(out, y) * len(y)
            n += len(y)
        result = {k: v / n for k, v in sums.items()}
        logger.info("%s", result)
        return result


def top1(out, y):
    return (out.argmax(1) == y).float().mean().item()


def top2(out, y):
    return (out.topk(2, 1).indices == y[:, None]).any(1).float().mean().item()
