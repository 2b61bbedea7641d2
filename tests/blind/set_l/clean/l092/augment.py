import torch


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x


class RandomErase:
    def __init__(self, size=4, p=0.5):
        self.size, self.p = size, p

    def __call__(self, x):
        x = x.clone()
        h, w = x.shape[-2:]
        for img in x.unbind(0):
            if torch.rand(()) < self.p:
                top = int(torch.randint(0, h - self.size + 1, ()))
                left = int(torch.randint(0, w - self.size + 1, ()))
                img[:, top:top + self.size, left:left + self.size].zero_()
        return x


class ChannelJitter:
    def __init__(self, amount=0.2):
        self.amount = amount

    def __call__(self, x):
        gain = 1 + self.amount * (torch.rand(x.size(0), x.size(1), 1, 1, device=x.device) - 0.5)
        shift = self.amount * torch.randn_like(gain)
        return x.mul(gain).add_(shift).clamp_(-3, 3)


class Flip:
    def __call__(self, x):
        pick = torch.rand(x.size(0)) < 0.5
        x[pick] = x[pick].flip(-1)
        return x
