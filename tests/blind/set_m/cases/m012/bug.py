import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def make_data(n=100):
    x = torch.randn(n, 3)
    true_w = torch.tensor([1.5, -2.0, 0.5])
    y = (x @ true_w + 0.3 * torch.randn(n) > 0).float()
    return x.to(device), y.to(device)


def batches(x, y, size):
    perm = torch.randperm(len(x))
    for i in range(0, len(x), size):
        idx = perm[i:i + size]
        yield x[idx], y[idx]


x, y = make_data()
w = torch.zeros(3, device=device, requires_grad=True)
b = torch.zeros(1, device=device, requires_grad=True)
lr = 0.1

for epoch in range(4):
    total = 0.0
    for xb, yb in batches(x, y, 25):
        p = torch.sigmoid(xb @ w + b)
        loss = -(yb * torch.log(p + 1e-7) + (1 - yb) * torch.log(1 - p + 1e-7)).mean()
        loss.backward()
        with torch.no_grad():
            w = w - lr * w.grad
            b = b - lr * b.grad
            w.grad = None
            b.grad = None
        total += loss.item()
    print("epoch", epoch, total)

print("weights", w.tolist())
