import torch
from torch import nn


class Gp(nn.Module):
    """Exact Gaussian process with an RBF kernel."""

    def __init__(self):
        super().__init__()
        self.raw = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in ("length", "scale", "noise")})

    def kernel(self, a, b):
        length, scale = self.raw["length"].exp(), self.raw["scale"].exp()
        return scale * torch.exp(-0.5 * (a[:, None] - b[None]).pow(2) / length ** 2)

    def nll(self, x, y):
        k = self.kernel(x, x) + (self.raw["noise"].exp() * 0.1 + 1e-4) * torch.eye(len(x), device=x.device)
        chol = torch.linalg.cholesky(k)
        alpha = torch.cholesky_solve(y[:, None], chol).squeeze(1)
        return 0.5 * y @ alpha + chol.diagonal().log().sum()

    @torch.no_grad()
    def predict(self, x, y, q):
        k = self.kernel(x, x) + (self.raw["noise"].exp() * 0.1 + 1e-4) * torch.eye(len(x), device=x.device)
        return self.kernel(q, x) @ torch.linalg.solve(k, y)


def fit(gp, x, y, iters=2):
    optimizer = torch.optim.LBFGS(gp.parameters(), lr=0.2, max_iter=4)
    trace = []

    def closure():
        optimizer.zero_grad()
        value = gp.nll(x, y)
        value.backward()
        trace.append(value.item())
        return value

    for _ in range(iters):
        optimizer.step(closure)
    return trace


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.linspace(-2, 2, 12)
    y = torch.sin(2 * x)
    gp = Gp()
    print(fit(gp, x, y)[-1])
    print(gp.predict(x, y, torch.tensor([0.3, 0.5])).numpy())
