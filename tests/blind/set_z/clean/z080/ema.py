from contextlib import contextmanager

import torch


class EMA:
    """Shadow weights by name, made at the first update, so wherever the model is then."""

    def __init__(self, model, decay=0.99, warmup=10):
        self.model, self.decay, self.warmup = model, decay, warmup
        self.shadow = {}
        self.step = 0

    def rate(self):
        return min(self.decay, (1 + self.step) / (self.warmup + self.step))

    @torch.no_grad()
    def update(self):
        self.step += 1
        r = self.rate()
        for name, value in self.model.state_dict().items():
            if name not in self.shadow:
                self.shadow[name] = value.clone()
            elif value.is_floating_point():
                self.shadow[name].lerp_(value, 1 - r)
            else:
                self.shadow[name].copy_(value)

    @contextmanager
    def applied(self):
        backup = {k: v.clone() for k, v in self.model.state_dict().items()}
        self.model.load_state_dict(self.shadow)
        try:
            yield self.model
        finally:
            self.model.load_state_dict(backup)
