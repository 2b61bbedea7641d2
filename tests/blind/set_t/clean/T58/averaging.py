import contextlib
import torch


class WeightAverage:
    """Exponential average of parameters; buffers are copied."""

    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.model = model
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}
        self.steps = 0

    @torch.no_grad()
    def update(self):
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        for name, value in self.model.state_dict().items():
            if value.dtype.is_floating_point:
                self.shadow[name].lerp_(value, 1 - decay)
            else:
                self.shadow[name].copy_(value)

    @contextlib.contextmanager
    def applied(self):
        backup = {k: v.detach().clone() for k, v in self.model.state_dict().items()}
        self.model.load_state_dict(self.shadow)
        try:
            yield self.model
        finally:
            self.model.load_state_dict(backup)
