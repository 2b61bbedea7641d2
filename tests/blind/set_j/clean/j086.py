import math
import random


class Value:
    """A scalar that remembers how it was made."""

    def __init__(self, data, parents=(), local=()):
        self.data, self.grad = data, 0.0
        self.parents, self.local = parents, local

    def __add__(self, o):
        o = o if isinstance(o, Value) else Value(o)
        return Value(self.data + o.data, (self, o), (1.0, 1.0))

    def __mul__(self, o):
        o = o if isinstance(o, Value) else Value(o)
        return Value(self.data * o.data, (self, o), (o.data, self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), (1 - t * t,))

    def item(self):
        return self.data

    def detach(self):
        return Value(self.data)

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if id(v) not in seen:
                seen.add(id(v))
                for p in v.parents:
                    visit(p)
                order.append(v)

        visit(self)
        for v in order:
            if v.parents:
                v.grad = 0.0
        self.grad = 1.0
        for v in reversed(order):
            for p, l in zip(v.parents, v.local):
                p.grad += l * v.grad


w, b = Value(random.random()), Value(0.0)
total = 0.0
for i in range(20):
    x = i / 10 - 1
    err = (w * x + b).tanh() + -math.tanh(2 * x)
    loss = err * err
    loss.backward()
    robust = err.tanh() * 0.01
    robust.backward()
    total += loss.item()
    for p in (w, b):
        p.data -= 0.1 * p.grad
        p.grad = 0.0
print(w.data, b.data, total / 20)
