"""Layers with weights of few bits."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Quantizer(nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.levels = 2 ** (bits - 1) - 1

    def step_size(self, w):
        return w.detach().abs().amax().clamp_min(1e-8) / self.levels

    def forward(self, w):
        s = self.step_size(w)
        q = torch.round(w / s).clamp(-self.levels, self.levels) * s
        return w + (q - w).detach()


class QuantLinear(nn.Linear):
    def __init__(self, n_in, n_out, bits=4, bias=True):
        super().__init__(n_in, n_out, bias=bias)
        self.quantizer = Quantizer(bits)

    def forward(self, x):
        return F.linear(x, self.quantizer(self.weight), self.bias)


class QuantMlp(nn.Module):
    def __init__(self, sizes, bits=4):
        super().__init__()
        self.layers = nn.ModuleList(QuantLinear(a, b, bits) for a, b in zip(sizes, sizes[1:]))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = F.relu(layer(x))
        return self.layers[-1](x)


def finetune(model, batches, lr=1e-3):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for x, y in batches:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
