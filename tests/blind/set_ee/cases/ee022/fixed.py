import math

import torch


class SoftmaxRegression:
    def __init__(self, n_features, n_classes, lr=0.1, l2=1e-3):
        bound = 1 / math.sqrt(n_features)
        self.weight = torch.empty(n_features, n_classes).uniform_(-bound, bound).requires_grad_()
        self.bias = torch.zeros(n_classes, requires_grad=True)
        self.lr = lr
        self.l2 = l2

    def logits(self, x):
        return x @ self.weight + self.bias

    def loss(self, x, y):
        logp = self.logits(x).log_softmax(dim=1)
        nll = -logp[torch.arange(len(y)), y].mean()
        return nll + self.l2 * self.weight.pow(2).sum()

    def _descend(self):
        with torch.no_grad():
            self.weight -= self.lr * self.weight.grad
            self.bias -= self.lr * self.bias.grad

    def _reset_grads(self):
        self.weight.grad = None
        self.bias.grad = None

    def fit(self, x, y, epochs=20, batch_size=32):
        for epoch in range(epochs):
            order = torch.randperm(len(x))
            total = 0.0
            for idx in order.split(batch_size):
                loss = self.loss(x[idx], y[idx])
                loss.backward()
                self._descend()
                self._reset_grads()
                total += loss.item() * len(idx)
            if epoch % 5 == 0:
                print(f"epoch {epoch:3d}  loss {total / len(x):.4f}")
        return self

    @torch.no_grad()
    def accuracy(self, x, y):
        return (self.logits(x).argmax(1) == y).float().mean().item()


def clusters(n, k, d):
    centers = torch.randn(k, d) * 3
    y = torch.randint(0, k, (n,))
    return centers[y] + torch.randn(n, d), y


if __name__ == "__main__":
    torch.manual_seed(5)
    x, y = clusters(300, 4, 6)
    clf = SoftmaxRegression(6, 4).fit(x, y)
    print("accuracy", clf.accuracy(x, y))
