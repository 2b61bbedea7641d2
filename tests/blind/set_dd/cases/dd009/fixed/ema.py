import torch


class ShadowWeights:
    """Exponential moving average of a network's trainable weights."""

    def __init__(self, module, decay=0.995):
        self.decay = decay
        self.num_updates = 0
        self.shadow = {k: p.detach().clone() for k, p in module.named_parameters() if p.requires_grad}
        self.backup = {}

    @torch.no_grad()
    def update(self, module):
        self.num_updates += 1
        decay = min(self.decay, (1 + self.num_updates) / (10 + self.num_updates))
        for k, p in module.named_parameters():
            if k in self.shadow:
                self.shadow[k].mul_(decay).add_(p, alpha=1 - decay)

    @torch.no_grad()
    def swap_in(self, module):
        for k, p in module.named_parameters():
            if k in self.shadow:
                self.backup[k] = p.detach().clone()
                p.copy_(self.shadow[k])

    @torch.no_grad()
    def swap_out(self, module):
        for k, p in module.named_parameters():
            if k in self.backup:
                p.copy_(self.backup.pop(k))
