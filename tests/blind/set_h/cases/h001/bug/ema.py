import torch


class WeightAverager:
    """Keeps an exponential moving average of the weights of a network."""

    def __init__(self, net, decay=0.995):
        self.net = net
        self.decay = decay
        self.shadow = {n: p.detach().clone() for n, p in net.named_parameters() if p.requires_grad}
        self.backup = {}

    @torch.no_grad()
    def update(self):
        for name, p in self.net.named_parameters():
            if name in self.shadow:
                self.shadow[name].mul_(self.decay).add_(p, alpha=1 - self.decay)

    @torch.no_grad()
    def apply(self):
        for name, p in self.net.named_parameters():
            if name in self.shadow:
                self.backup[name] = p.clone()
                p.copy_(self.shadow[name])

    @torch.no_grad()
    def restore(self):
        for name, p in self.net.named_parameters():
            if name in self.backup:
                p.copy_(self.backup.pop(name))
