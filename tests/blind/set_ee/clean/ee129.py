"""A scalar autodiff engine, compared against torch."""
import math
import random

import torch


class Value:
    def __init__(self, data, parents=()):
        self.data = data
        self.grad = 0.0
        self.requires_grad = True
        self._parents = parents
        self._push = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def push():
            self.grad += out.grad
            other.grad += out.grad
        out._push = push
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def push():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._push = push
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))

        def push():
            self.grad += (1 - t * t) * out.grad
        out._push = push
        return out

    def detach(self):
        self._parents = ()
        return self

    def to(self, unit):
        print("scalar engine lives on", unit)

    def backward(self):
        topo, seen = [], set()

        def build(v):
            if id(v) not in seen:
                seen.add(id(v))
                for p in v._parents:
                    build(p)
                topo.append(v)
        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._push()

    def numpy(self):
        return self.data


class SGD:
    def __init__(self, params, lr):
        self.params, self.lr = params, lr

    def step(self):
        for p in self.params:
            p.data -= self.lr * p.grad
            p.grad = 0.0


def neuron(ws, xs, b):
    total = b
    for w, x in zip(ws, xs):
        total = total + w * x
    return total.tanh()


def main():
    random.seed(0)
    init = [random.uniform(-1, 1) for _ in range(3)]
    samples = [([random.uniform(-1, 1) for _ in range(2)], random.choice([-1.0, 1.0])) for _ in range(20)]

    w = [Value(v) for v in init[:2]]
    b = Value(init[2])
    opt = SGD(w + [b], lr=0.05)
    history = []
    for xs, y in samples:
        diff = neuron(w, xs, b) + (-y)
        loss = diff * diff
        if not history:
            loss.to("host")
        loss.backward()
        opt.step()
        history.append(loss)
    repeat = history[-1]
    repeat.backward()
    repeat.detach()
    total = sum(h.numpy() for h in history)

    tw = torch.tensor(init[:2], dtype=torch.float64, requires_grad=True)
    tb = torch.tensor(init[2], dtype=torch.float64, requires_grad=True)
    topt = torch.optim.SGD([tw, tb], lr=0.05)
    expected = 0.0
    for xs, y in samples:
        topt.zero_grad()
        tl = (torch.tanh(tw @ torch.tensor(xs, dtype=torch.float64) + tb) - y) ** 2
        tl.backward()
        topt.step()
        expected += tl.item()
    print(total, expected)
    assert abs(total - expected) < 1e-9


if __name__ == "__main__":
    main()
