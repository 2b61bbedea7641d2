# Two layer network "from scratch", only tensors and autograd.
import numpy as np
import torch


class Scratch:
    def __init__(self, sizes, device, seed=0):
        rng = np.random.default_rng(seed)
        self.device = device
        self.weights, self.biases = [], []
        for i, o in zip(sizes[:-1], sizes[1:]):
            w = rng.standard_normal((i, o)) * np.sqrt(2 / i)
            self.weights.append(torch.tensor(w, dtype=torch.float32, device=device, requires_grad=True))
            self.biases.append(torch.zeros(o, device=device, requires_grad=True))

    @property
    def tensors(self):
        return self.weights + self.biases

    def predict(self, x):
        for w, b in zip(self.weights[:-1], self.biases[:-1]):
            x = torch.relu(x @ w + b)
        return x @ self.weights[-1] + self.biases[-1]

    def sgd(self, lr, decay):
        with torch.no_grad():
            for w in self.weights:
                w -= lr * (w.grad + decay * w)
            for b in self.biases:
                b -= lr * b.grad

    def zero(self):
        for t in self.tensors:
            t.grad = None


def nll(logits, y):
    z = logits - logits.max(1, keepdim=True).values
    logp = z - z.exp().sum(1, keepdim=True).log()
    return -logp[torch.arange(len(y), device=y.device), y].mean()


def spirals(n, k):
    x, y = [], []
    for c in range(k):
        r = np.linspace(0.1, 1, n)
        t = np.linspace(c * 4, (c + 1) * 4, n) + np.random.randn(n) * 0.2
        x.append(np.c_[r * np.sin(t), r * np.cos(t)])
        y.append(np.full(n, c))
    return torch.from_numpy(np.concatenate(x)).float(), torch.from_numpy(np.concatenate(y)).long()


def train(net, x, y, epochs=5, lr=0.5, decay=1e-3):
    for e in range(epochs):
        net.zero()
        loss = nll(net.predict(x), y)
        loss.backward()
        net.sgd(lr, decay)
        if e % 2 == 0:
            print(e, loss.item())


device = "cuda" if torch.cuda.is_available() else "cpu"
x, y = (t.to(device) for t in spirals(30, 3))
net = Scratch([2, 32, 3], device)
train(net, x, y)
with torch.no_grad():
    print("accuracy", (net.predict(x).argmax(1) == y).float().mean().item())
