import torch
import torch.nn as nn
import torch.nn.functional as F


def symmetric_scale(w, bits):
    return w.detach().abs().max() / (2 ** (bits - 1) - 1)


class QuantLinear(nn.Module):
    """Linear layer trained with simulated low-bit weights."""

    def __init__(self, in_features, out_features, bits=4):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.bits = bits
        nn.init.kaiming_uniform_(self.weight, a=5**0.5)

    def quantize(self, w):
        scale = symmetric_scale(w, self.bits)
        q = torch.round(w / scale) * scale
        return w + (q - w).detach()

    def forward(self, x):
        return F.linear(x, self.quantize(self.weight), self.bias)


class QuantMLP(nn.Module):
    def __init__(self, dims, bits=4):
        super().__init__()
        self.layers = nn.ModuleList(QuantLinear(a, b, bits) for a, b in zip(dims, dims[1:]))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i + 1 < len(self.layers):
                x = F.relu(x)
        return x
