# Softmax regression from scratch: no nn.Module, no torch.optim
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def make_blobs(n=240, classes=3, dim=5, seed=2):
    g = torch.Generator().manual_seed(seed)
    centers = torch.randn(classes, dim, generator=g) * 3
    y = torch.randint(0, classes, (n,), generator=g)
    x = centers[y] + torch.randn(n, dim, generator=g)
    return x.to(device), y.to(device)


def init(dim, classes):
    g = torch.Generator().manual_seed(0)
    w = torch.randn(dim, classes, generator=g) * 0.01
    return {
        "w": w.to(device).requires_grad_(),
        "b": torch.zeros(classes, device=device, requires_grad=True),
    }


def log_softmax(z):
    z = z - z.max(dim=1, keepdim=True).values
    return z - z.exp().sum(dim=1, keepdim=True).log()


def nll(params, x, y):
    logp = log_softmax(x @ params["w"] + params["b"])
    return -logp[torch.arange(len(y), device=y.device), y].mean()


def accuracy(params, x, y):
    with torch.no_grad():
        return ((x @ params["w"] + params["b"]).argmax(1) == y).float().mean().item()


def sgd(params, lr, decay=0.0):
    with torch.no_grad():
        for p in params.values():
            p -= lr * (p.grad + decay * p)
            p.grad = None
    return params


x, y = make_blobs()
params = init(x.shape[1], 3)
for epoch in range(15):
    for idx in torch.randperm(len(x)).split(60):
        loss = nll(params, x[idx], y[idx])
        loss.backward()
        params = sgd(params, lr=0.1, decay=1e-4)
    if epoch % 5 == 0:
        print(epoch, f"{loss.item():.4f}", f"{accuracy(params, x, y):.3f}")
