"""Ternary-weight network with a straight-through estimator."""
import torch
from torch import nn
import torch.nn.functional as F


class Ternarize(torch.autograd.Function):
    """Maps weights to {-s, 0, s}; the gradient passes inside the clipping range."""

    @staticmethod
    def forward(ctx, weight, threshold, clip):
        ctx.save_for_backward(weight)
        ctx.clip = clip
        delta = threshold * weight.abs().mean()
        mask = (weight.abs() > delta).to(weight.dtype)
        scale = (weight.abs() * mask).sum() / mask.sum().clamp(min=1)
        return scale * weight.sign() * mask

    @staticmethod
    def backward(ctx, grad):
        (weight,) = ctx.saved_tensors
        inside = (weight.abs() <= ctx.clip).to(grad.dtype)
        return grad * inside, None, None


class TernaryLinear(nn.Linear):
    def __init__(self, i, o, threshold=0.7, clip=1.0):
        super().__init__(i, o)
        self.threshold, self.clip = threshold, clip

    def forward(self, x):
        return F.linear(x, Ternarize.apply(self.weight, self.threshold, self.clip), self.bias)


def build(widths=(10, 32, 32, 3)):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [TernaryLinear(a, b), nn.BatchNorm1d(b), nn.ReLU()]
    return nn.Sequential(*layers[:-2])


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.net(x), y)
        loss.backward()
        self.optimizer.step()


if __name__ == "__main__":
    trainer = Trainer(build())
    for _ in range(3):
        trainer.step(torch.randn(16, 10), torch.randint(0, 3, (16,)))
