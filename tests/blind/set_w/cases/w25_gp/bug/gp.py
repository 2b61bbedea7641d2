import math
import torch
from torch import nn


class ExactGP(nn.Module):
    def __init__(self, kernel):
        super().__init__()
        self.kernel = kernel
        self.log_noise = nn.Parameter(torch.tensor(-1.0))

    def nll(self, x, y):
        n = len(x)
        k = self.kernel(x, x) + (self.log_noise.exp() + 1e-4) * torch.eye(n, dtype=x.dtype, device=x.device)
        chol = torch.linalg.cholesky(k)
        alpha = torch.cholesky_solve(y[:, None], chol).squeeze(-1)
        return 0.5 * y @ alpha + chol.diagonal().log().sum() + 0.5 * n * math.log(2 * math.pi)
