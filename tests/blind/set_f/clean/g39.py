"""An interpreter of small programs; none of these names are torch's."""
import math
from dataclasses import dataclass, field


@dataclass
class Tensor:
    data: float
    grad: float = 0.0
    parents: tuple = ()
    pull: object = None

    def __add__(self, other):
        return Tensor(self.data + other.data, parents=(self, other), pull=lambda g: (g, g))

    def __mul__(self, other):
        return Tensor(self.data * other.data, parents=(self, other), pull=lambda g: (g * other.data, g * self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return Tensor(t, parents=(self,), pull=lambda g: (g * (1 - t * t),))

    def backward(self, seed=1.0):
        self.grad += seed
        if self.pull:
            for p, g in zip(self.parents, self.pull(seed)):
                p.backward(g)

    def detach(self):
        self.parents, self.pull = (), None

    def numpy(self):
        return self.data

    def to(self, device):
        self.device = device


@dataclass
class Optimizer:
    params: list
    lr: float = 0.1
    log: list = field(default_factory=list)

    def step(self):
        for p in self.params:
            p.data -= self.lr * p.grad

    def zero_grad(self):
        for p in self.params:
            p.grad = 0.0


def train(n=3):
    w, b = Tensor(0.5), Tensor(0.0)
    opt = Optimizer([w, b])
    w.to("cuda")
    loss_sum = 0.0
    for x in (1.0, -2.0, 0.3)[:n]:
        loss = (w * Tensor(x) + b).tanh()
        loss.backward()
        loss.backward()
        opt.step()
        opt.zero_grad()
        loss.detach()
        loss_sum += loss.data
        opt.log.append(loss)
        print(loss.numpy())
    return loss_sum


if __name__ == "__main__":
    print(train())
