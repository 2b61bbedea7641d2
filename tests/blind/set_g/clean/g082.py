"""A scalar automatic differentiation engine checked against torch."""
import math

import torch


class Value:
    def __init__(self, data, parents=(), grads=()):
        self.data = data
        self.grad = 0.0
        self.parents, self.grads = parents, grads

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), (1 - t * t,))

    def detach(self):
        return Value(self.data)

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for p in v.parents:
                    visit(p)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            for p, g in zip(v.parents, v.grads):
                p.grad += g * v.grad


class SGD:
    def __init__(self, params, lr):
        self.params, self.lr = params, lr

    def zero_grad(self):
        for p in self.params:
            p.grad = 0.0

    def step(self):
        for p in self.params:
            p.data -= self.lr * p.grad


def check(w, b, x):
    out = (w * x + b).tanh()
    out.backward()
    tw, tb = (torch.tensor(v.data, dtype=torch.float64, requires_grad=True) for v in (w, b))
    torch.tanh(tw * x.data + tb).backward()
    assert abs(tw.grad.item() - w.grad) < 1e-9 and abs(tb.grad.item() - b.grad) < 1e-9
    return out.detach()


w, b = Value(0.7), Value(-0.2)
opt = SGD([w, b], lr=0.1)
history = []
for x in (0.5, -1.5, 2.0):
    opt.zero_grad()
    out = check(w, b, Value(x))
    opt.step()
    history.append(out)
print(w.data, b.data, len(history))
