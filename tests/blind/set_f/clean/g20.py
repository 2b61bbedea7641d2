import math

import torch
from torch.nn.functional import cross_entropy


class Linear:
    """A layer by hand, not torch's."""

    def __init__(self, i, o, gen=None):
        self.w = (torch.randn(i, o, generator=gen) / math.sqrt(i)).requires_grad_()
        self.b = torch.zeros(o, requires_grad=True)

    def __call__(self, x):
        return x @ self.w + self.b

    def parameters(self):
        return [self.w, self.b]


class SGD:
    def __init__(self, params, lr, momentum=0.0):
        self.params = list(params)
        self.lr, self.momentum = lr, momentum
        self.velocity = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, v in zip(self.params, self.velocity):
            v.mul_(self.momentum).add_(p.grad)
            p -= self.lr * v

    def clear(self):
        for p in self.params:
            p.grad = None


def main(steps=4):
    gen = torch.Generator().manual_seed(7)
    layers = [Linear(4, 8, gen), Linear(8, 3, gen)]
    opt = SGD((p for layer in layers for p in layer.parameters()), lr=0.1, momentum=0.5)
    x = torch.randn(20, 4, generator=gen)
    y = torch.randint(0, 3, (20,), generator=gen)
    losses = []
    for _ in range(steps):
        loss = cross_entropy(layers[1](torch.tanh(layers[0](x))), y)
        loss.backward()
        opt.step()
        opt.clear()
        losses.append(loss.item())
    with torch.no_grad():
        for layer in layers:
            layer.w *= 0.99
            layer.b[layer.b > 1] = 1
    return losses


if __name__ == "__main__":
    print(main())
