"""Expectation of improvement search with a small exact Gaussian process."""
import math

import numpy as np
import torch
from torch import nn


class GP(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_len = nn.Parameter(torch.zeros(()))
        self.log_amp = nn.Parameter(torch.zeros(()))
        self.log_noise = nn.Parameter(torch.tensor(-3.0))

    def kernel(self, a, b):
        return self.log_amp.exp() * torch.exp(-0.5 * torch.cdist(a, b).pow(2) / self.log_len.exp().pow(2))

    def nll(self, x, y):
        k = self.kernel(x, x) + self.log_noise.exp() * torch.eye(len(x), dtype=x.dtype, device=x.device)
        chol = torch.linalg.cholesky(k)
        alpha = torch.cholesky_solve(y[:, None], chol)
        return 0.5 * (y @ alpha).sum() + chol.diagonal().log().sum() + 0.5 * len(x) * math.log(2 * math.pi)

    @torch.no_grad()
    def posterior(self, x, y, q):
        k = self.kernel(x, x) + self.log_noise.exp() * torch.eye(len(x), dtype=x.dtype, device=x.device)
        chol = torch.linalg.cholesky(k)
        kq = self.kernel(x, q)
        mean = (kq.t() @ torch.cholesky_solve(y[:, None], chol)).squeeze(1)
        var = self.log_amp.exp() - torch.linalg.solve_triangular(chol, kq, upper=False).pow(2).sum(0)
        return mean, var.clamp(min=1e-9)


def objective(x: np.ndarray) -> np.ndarray:
    return np.sin(3 * x).sum(axis=1)


def main():
    rng = np.random.default_rng(0)
    xs = rng.uniform(-1, 1, (6, 1)).astype(np.float32)
    ys = objective(xs).astype(np.float32)
    gp = GP()
    for _ in range(2):
        x, y = torch.from_numpy(xs), torch.from_numpy(ys)
        optimizer = torch.optim.Adam(gp.parameters(), lr=0.05)
        for _ in range(3):
            optimizer.zero_grad()
            loss = gp.nll(x, y)
            loss.backward()
            optimizer.step()
        grid = torch.linspace(-1, 1, 21)[:, None]
        mean, var = gp.posterior(x, y, grid)
        pick = (mean + 2 * var.sqrt()).argmax()
        new = grid[pick : pick + 1].numpy()
        xs, ys = np.concatenate([xs, new]), np.concatenate([ys, objective(new).astype(np.float32)])
    print(xs[ys.argmax()], ys.max(), loss.item())


if __name__ == "__main__":
    main()
