import logging
from collections import OrderedDict

import torch

logger = logging.getLogger(__name__)


class Evaluator:
    """Goes over the validation data with and without the averaged weights."""

    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def _score(self, model):
        hit = total = 0
        for x, y in self.loader:
            out = model(x.to(self.device))
            hit += (out.argmax(1).cpu() == y).sum().item()
            total += len(y)
        return hit / total

    def __call__(self, model, averaged=None):
        model.eval()
        with torch.no_grad():
            result = OrderedDict(plain=self._score(model))
            if averaged is not None:
                result["averaged"] = self._score(averaged)
        model.train()
        logger.info("%s", dict(result))
        return result
