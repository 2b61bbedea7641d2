import torch
from torch import nn


class WeightNormLinear(nn.Module):
    def __init__(self, d_in, d_out, limit=1.5):
        super().__init__()
        self.limit = limit
        self.v = nn.Parameter(torch.randn(d_out, d_in) * 0.1)
        self.g = nn.Parameter(torch.ones(d_out, 1))
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(self, x):
        weight = self.g * self.v / self.v.norm(dim=1, keepdim=True)
        weight = weight.clamp(-self.limit, self.limit)
        return nn.functional.linear(x, weight, self.bias)


class Autoregressive(nn.Module):
    def __init__(self, d, hidden=12):
        super().__init__()
        self.a, self.b = WeightNormLinear(d, hidden), WeightNormLinear(hidden, 2 * d)

    def forward(self, x):
        mu, log_s = self.b(torch.relu(self.a(x))).chunk(2, -1)
        return mu, log_s.clamp(-4, 4)
