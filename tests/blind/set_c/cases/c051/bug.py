import torch
from torch import nn
from torch.autograd import Function


class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.alpha


class DomainClassifier(nn.Module):
    def __init__(self, dim, hidden=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, feat, alpha):
        return self.net(GradientReversal.apply(feat, alpha)).squeeze(-1)


class DANN(nn.Module):
    def __init__(self, d_in, dim, classes):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(d_in, dim), nn.ReLU())
        self.label = nn.Linear(dim, classes)
        self.domain = DomainClassifier(dim)

    def forward(self, x, alpha):
        h = self.features(x)
        return self.label(h), self.domain(h, alpha)
