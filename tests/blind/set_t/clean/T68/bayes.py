import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class BayesLinear(nn.Module):
    def __init__(self, n_in, n_out, prior_std=1.0):
        super().__init__()
        self.w_mu = nn.Parameter(torch.empty(n_out, n_in))
        self.w_rho = nn.Parameter(torch.full((n_out, n_in), -4.0))
        self.b_mu = nn.Parameter(torch.zeros(n_out))
        self.b_rho = nn.Parameter(torch.full((n_out,), -4.0))
        self.register_buffer("prior_std", torch.tensor(prior_std))
        self.reset()

    @torch.no_grad()
    def reset(self):
        bound = 1 / math.sqrt(self.w_mu.size(1))
        self.w_mu.uniform_(-bound, bound)

    def kl(self):
        total = 0
        for mu, rho in ((self.w_mu, self.w_rho), (self.b_mu, self.b_rho)):
            std = F.softplus(rho)
            total = total + (self.prior_std.log() - std.log() + (std ** 2 + mu ** 2) / (2 * self.prior_std ** 2) - 0.5).sum()
        return total

    def forward(self, x):
        mean = F.linear(x, self.w_mu, self.b_mu)
        var = F.linear(x ** 2, F.softplus(self.w_rho) ** 2, F.softplus(self.b_rho) ** 2)
        return mean + var.clamp(min=1e-12).sqrt() * torch.randn_like(mean)


def kl_of(model):
    return sum(m.kl() for m in model.modules() if isinstance(m, BayesLinear))
