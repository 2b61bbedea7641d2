"""A scalar autodiff toy: these classes are not torch's."""
import math


class Tensor:
    def __init__(self, data, parents=()):
        self.data = float(data)
        self.grad = 0.0
        self._parents = parents
        self._backward = lambda: None

    def __mul__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        out = Tensor(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __add__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        out = Tensor(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def exp(self):
        out = Tensor(math.exp(self.data), (self,))
        out._backward = lambda: setattr(self, "grad", self.grad + out.data * out.grad)
        return out

    def to(self, device):
        return self

    def backward(self):
        order, seen = [], set()

        def visit(t):
            if id(t) not in seen:
                seen.add(id(t))
                for p in t._parents:
                    visit(p)
                order.append(t)

        visit(self)
        self.grad = 1.0
        for t in reversed(order):
            t._backward()


class Counter:
    def __init__(self):
        self.n = 0

    def step(self):
        self.n += 1


def demo():
    x, total, counter = Tensor(0.5), Tensor(0.0), Counter()
    for _ in range(3):
        y = (x * 2 + 1).exp()
        y.to("cuda")
        total = total + y
        counter.step()
    total.backward()
    total.backward()
    return x.grad, counter.n
