# CS 489 assignment 2: softmax regression and a one-hidden-layer network "from scratch"
import math
import torch


def make_blobs(n, k=3, d=2, seed=489):
    g = torch.Generator().manual_seed(seed)
    centers = torch.randn(k, d, generator=g) * 4
    y = torch.randint(0, k, (n,), generator=g)
    return centers[y] + torch.randn(n, d, generator=g), y


def init_layer(n_in, n_out):
    W = torch.randn(n_in, n_out) / math.sqrt(n_in)
    b = torch.zeros(n_out)
    return [W.requires_grad_(), b.requires_grad_()]


def forward(x, params):
    (W1, b1), (W2, b2) = params
    h = torch.tanh(x @ W1 + b1)
    return h @ W2 + b2


def nll(logits, y):
    logp = logits - logits.logsumexp(1, keepdim=True)
    return -logp[torch.arange(len(y)), y].mean()


def sgd(params, lr):
    for layer in params:
        for j, p in enumerate(layer):
            with torch.no_grad():
                p -= lr * p.grad
            p.grad = None


def accuracy(params, x, y):
    with torch.no_grad():
        return (forward(x, params).argmax(1) == y).double().mean().item()


def train(x, y, hidden=8, epochs=5, batch=32, lr=0.2):
    params = [init_layer(x.shape[1], hidden), init_layer(hidden, int(y.max()) + 1)]
    for epoch in range(epochs):
        perm = torch.randperm(len(x))
        for start in range(0, len(x), batch):
            rows = perm[start:start + batch]
            loss = nll(forward(x[rows], params), y[rows])
            loss.backward()
            sgd(params, lr)
        print(f'epoch {epoch}: loss {loss.item():.3f}, acc {accuracy(params, x, y):.3f}')
    return params


if __name__ == '__main__':
    torch.manual_seed(0)
    X, Y = make_blobs(160)
    X = (X - X.mean(0)) / X.std(0)
    train(X, Y)
