import torch


class EMA:
    """Keeps a smoothed copy of the weights, as in most diffusion code bases."""

    def __init__(self, model, decay=0.99, warmup=2):
        self.decay = decay
        self.warmup = warmup
        self.n = 0
        self.shadow = {}
        self.backup = {}
        for name, p in model.named_parameters():
            if p.requires_grad:
                self.shadow[name] = p.detach().clone()

    @torch.no_grad()
    def update(self, model):
        self.n += 1
        d = 0.0 if self.n <= self.warmup else self.decay
        for name, p in model.named_parameters():
            if name in self.shadow:
                self.shadow[name].mul_(d).add_(p, alpha=1.0 - d)

    def apply_to(self, model):
        for name, p in model.named_parameters():
            self.backup[name] = p.detach().clone()
            with torch.no_grad():
                p.copy_(self.shadow[name])

    def restore(self, model):
        for name, p in model.named_parameters():
            with torch.no_grad():
                p.copy_(self.backup[name])
        self.backup = {}
