import torch

torch.manual_seed(7)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def make_data(n=200, d=3):
    x = torch.randn(n, d, device=device)
    true_w = torch.tensor([1.5, -2.0, 0.7], device=device)
    y = (x @ true_w + 0.3 > 0).float()
    return x, y


def minibatches(x, y, size):
    perm = torch.randperm(len(x), device=x.device)
    for idx in perm.split(size):
        yield x[idx], y[idx]


def logistic_regression(x, y, lr=0.5, epochs=3, l2=1e-3):
    w = torch.zeros(x.size(1), device=x.device, requires_grad=True)
    b = torch.zeros(1, device=x.device, requires_grad=True)
    for epoch in range(epochs):
        for xb, yb in minibatches(x, y, 50):
            logits = xb @ w + b
            loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, yb) + l2 * w.pow(2).sum()
            loss.backward()
            with torch.no_grad():
                w -= lr * w.grad
                b -= lr * b.grad
                w.grad = None
                b.grad = None
        print(epoch, loss.item())
    return w.detach(), b.detach()


if __name__ == "__main__":
    w, b = logistic_regression(*make_data())
    print(w.tolist(), b.item())
