import torch
from torch import nn


class RBF(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.log_ell = nn.Parameter(torch.zeros(d))
        self.log_var = nn.Parameter(torch.zeros(()))

    def forward(self, a, b):
        ell = self.log_ell.exp()
        return self.log_var.exp() * torch.exp(-0.5 * torch.cdist(a / ell, b / ell).pow(2))

    def project(self, low=-3.0, high=3.0):
        """Keeps the length scales in a sane range; called after each update."""
        with torch.no_grad():
            self.log_ell.clamp_(low, high)
