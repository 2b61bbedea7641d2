import numpy as np
import torch


def rbf(x, centers, gamma):
    return torch.exp(-gamma * (x[:, None] - centers[None]) ** 2)


class FunctionalRegressor:
    """Radial basis regression trained by hand."""

    def __init__(self, k, device):
        self.centers = torch.linspace(-1, 1, k, device=device)
        self.params = {
            "w": torch.zeros(k, device=device, requires_grad=True),
            "b": torch.zeros(1, device=device, requires_grad=True),
            "log_gamma": torch.full((1,), 1.0, device=device, requires_grad=True),
        }

    def __call__(self, x):
        p = self.params
        return rbf(x, self.centers, p["log_gamma"].exp()) @ p["w"] + p["b"]

    def sgd(self, lr):
        with torch.no_grad():
            for p in self.params.values():
                p -= lr * p.grad
                p.grad = None


def fit(model, x, y, lr=0.1, iters=20):
    curve = []
    for i in range(iters):
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        model.sgd(lr)
        curve.append(loss.item())
    return curve


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
grid = np.linspace(-1, 1, 40, dtype=np.float32)
x = torch.from_numpy(grid).to(device)
y = torch.from_numpy(np.sin(3 * grid) + 0.1 * np.random.randn(40).astype(np.float32)).to(device)
model = FunctionalRegressor(8, device)
losses = fit(model, x, y)
print("first", losses[0], "last", losses[-1])
