import torch


class EMA:
    def __init__(self, model, decay=0.99, warmup=5):
        self.decay, self.warmup = decay, warmup
        self.n = 0
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters() if p.requires_grad}
        self.backup = {}

    def rate(self):
        return min(self.decay, self.n / (self.n + self.warmup))

    @torch.no_grad()
    def update(self, model):
        self.n += 1
        d = self.rate()
        for name, p in model.named_parameters():
            if name in self.shadow:
                self.shadow[name].mul_(d).add_(p, alpha=1 - d)

    @torch.no_grad()
    def swap_in(self, model):
        for name, p in model.named_parameters():
            if name in self.shadow:
                self.backup[name] = p.detach().clone()
                p.copy_(self.shadow[name])

    @torch.no_grad()
    def swap_out(self, model):
        for name, p in model.named_parameters():
            if name in self.backup:
                p.copy_(self.backup.pop(name))
