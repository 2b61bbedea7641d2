import math

import torch


def xavier(fan_in, fan_out, generator):
    bound = math.sqrt(6 / (fan_in + fan_out))
    w = torch.empty(fan_in, fan_out).uniform_(-bound, bound, generator=generator)
    return w.requires_grad_()


class HandMadeMLP:
    def __init__(self, sizes, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.params = {}
        for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
            self.params[f"w{i}"] = xavier(a, b, g)
            self.params[f"b{i}"] = torch.zeros(b, requires_grad=True)
        self.depth = len(sizes) - 1

    def __call__(self, x):
        for i in range(self.depth):
            x = x @ self.params[f"w{i}"] + self.params[f"b{i}"]
            if i < self.depth - 1:
                x = torch.tanh(x)
        return x


@torch.no_grad()
def descend(params, lr, decay=0.0):
    for value in params.values():
        value -= lr * (value.grad + decay * value)
        value.grad = None


def batches(x, y, size):
    for start in range(0, len(x), size):
        yield x[start:start + size], y[start:start + size]


def fit(epochs=3, lr=0.1):
    torch.manual_seed(0)
    x = torch.linspace(-2, 2, 64).unsqueeze(1)
    y = torch.sin(2 * x)
    net = HandMadeMLP([1, 16, 16, 1])
    curve = []
    for _ in range(epochs):
        total = 0.0
        for bx, by in batches(x, y, 16):
            loss = (net(bx) - by).pow(2).mean()
            loss.backward()
            descend(net.params, lr, decay=1e-4)
            total += loss.item()
        curve.append(total)
    return curve


if __name__ == "__main__":
    print(fit())
