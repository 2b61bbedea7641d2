import torch


class EMA:
    """Exponential moving average of the weights of a model."""

    def __init__(self, model, decay=0.99):
        self.model, self.decay = model, decay
        self.shadow, self.backup = {}, {}
        for name, p in model.named_parameters():
            if p.requires_grad:
                self.shadow[name] = p.detach().clone()

    @torch.no_grad()
    def update(self):
        for name, p in self.model.named_parameters():
            if name in self.shadow:
                self.shadow[name].mul_(self.decay).add_(p, alpha=1 - self.decay)

    @torch.no_grad()
    def apply(self):
        for name, p in self.model.named_parameters():
            if name in self.shadow:
                self.backup[name] = p.detach().clone()
                p.copy_(self.shadow[name])

    @torch.no_grad()
    def restore(self):
        for name, p in self.model.named_parameters():
            if name in self.backup:
                p.copy_(self.backup.pop(name))
