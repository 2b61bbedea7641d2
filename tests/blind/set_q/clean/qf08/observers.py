import torch
import torch.nn as nn


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lo, hi):
        ctx.save_for_backward((x >= lo) & (x <= hi))
        return x.round().clamp(lo, hi)

    @staticmethod
    def backward(ctx, g):
        (inside,) = ctx.saved_tensors
        return g * inside, None, None


class MovingRange(nn.Module):
    def __init__(self, bits=8, momentum=0.1):
        super().__init__()
        self.levels, self.momentum = 2 ** bits - 1, momentum
        self.register_buffer("low", torch.zeros(()))
        self.register_buffer("high", torch.zeros(()))
        self.register_buffer("observing", torch.tensor(True))
        self.register_buffer("seen", torch.tensor(False))

    @torch.no_grad()
    def observe(self, x):
        lo, hi = torch.aminmax(x.detach())
        m = torch.where(self.seen, self.momentum, 1.0)
        self.low.add_(m * (lo - self.low))
        self.high.add_(m * (hi - self.high))
        self.seen.fill_(True)

    def forward(self, x):
        if self.training and self.observing:
            self.observe(x)
        scale = ((self.high - self.low) / self.levels).clamp(min=1e-8)
        return Round.apply((x - self.low) / scale, 0, self.levels) * scale + self.low


class QLinear(nn.Linear):
    def forward(self, x):
        s = self.weight.detach().abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
        return nn.functional.linear(x, Round.apply(self.weight / s, -127, 127) * s, self.bias)


def prepare(model):
    layers = []
    for m in model:
        if isinstance(m, nn.Linear):
            q = QLinear(m.in_features, m.out_features)
            q.load_state_dict(m.state_dict())
            layers += [MovingRange(), q]
        else:
            layers.append(m)
    return nn.Sequential(*layers)
