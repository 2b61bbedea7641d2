import argparse

import numpy as np
import torch


class SoftmaxRegression:
    def __init__(self, dim, classes, device, l2=1e-3):
        g = torch.Generator().manual_seed(0)
        self.W = (0.01 * torch.randn(dim, classes, generator=g)).to(device).requires_grad_()
        self.b = torch.zeros(classes, device=device, requires_grad=True)
        self.l2 = l2

    def logits(self, X):
        return X @ self.W + self.b

    def loss(self, X, y):
        logp = self.logits(X).log_softmax(dim=1)
        return -logp[torch.arange(len(y)), y].mean() + self.l2 * self.W.square().sum()

    def update(self, lr):
        for name in ("W", "b"):
            value = getattr(self, name)
            setattr(self, name, value - lr * value.grad)

    @torch.no_grad()
    def accuracy(self, X, y):
        return (self.logits(X).argmax(dim=1) == y).float().mean().item()


def blobs(n, classes, dim, rng):
    centers = rng.normal(size=(classes, dim)) * 2
    y = rng.integers(0, classes, size=n)
    X = centers[y] + rng.normal(size=(n, dim))
    return X.astype(np.float32), y


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=0.2)
    p.add_argument("--iters", type=int, default=10)
    p.add_argument("--batch", type=int, default=32)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    X, y = blobs(160, 3, 6, np.random.default_rng(1))
    X, y = torch.from_numpy(X).to(device), torch.from_numpy(y).to(device)
    clf = SoftmaxRegression(6, 3, device)
    for it in range(args.iters):
        idx = torch.randint(0, len(X), (args.batch,), device=device)
        loss = clf.loss(X[idx], y[idx])
        loss.backward()
        clf.update(args.lr)
        if it % 5 == 0:
            print(f"{it:3d} loss {loss.item():.4f} acc {clf.accuracy(X, y):.3f}")


if __name__ == "__main__":
    main()
