import torch
import torch.nn as nn
from torch.distributions import Normal, kl_divergence
import torch.nn.functional as F


class BayesLinear(nn.Module):
    def __init__(self, i, o, prior=1.0):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(o, i) / i ** 0.5)
        self.rho = nn.Parameter(torch.full((o, i), -4.0))
        self.bias = nn.Parameter(torch.zeros(o))
        self.register_buffer("prior_scale", torch.tensor(prior))

    @property
    def posterior(self):
        return Normal(self.mu, F.softplus(self.rho))

    def kl(self):
        return kl_divergence(self.posterior, Normal(torch.zeros_like(self.mu), self.prior_scale)).sum()

    def forward(self, x):
        q = self.posterior
        mean = F.linear(x, q.mean, self.bias)
        std = F.linear(x.square(), q.variance).clamp(min=1e-10).sqrt()
        return mean + std * torch.randn_like(mean)


class BNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2 = BayesLinear(1, 24), BayesLinear(24, 1)
        self.noise = nn.Parameter(torch.tensor(-1.0))

    def forward(self, x):
        return self.l2(torch.tanh(self.l1(x)))

    def kl(self):
        return sum(m.kl() for m in self.modules() if isinstance(m, BayesLinear))

    def elbo(self, x, y, n):
        lik = Normal(self(x), self.noise.exp()).log_prob(y).mean() * n
        return lik - self.kl()


class TemperatureScaler(nn.Module):
    def __init__(self):
        super().__init__()
        self.t = nn.Parameter(torch.ones(1))

    def fit(self, residual, scale):
        opt = torch.optim.LBFGS([self.t], lr=0.1, max_iter=15)

        def closure():
            opt.zero_grad()
            nll = -Normal(torch.zeros_like(residual), scale * self.t.abs()).log_prob(residual).mean()
            nll.backward()
            return nll

        opt.step(closure)
        return self.t.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.linspace(-2, 2, 80).unsqueeze(1)
    y = torch.sin(2 * x) + 0.1 * torch.randn_like(x)
    x, y = x.to(device), y.to(device)
    net = BNN().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for it in range(30):
        idx = torch.randint(len(x), (32,), device=device)
        loss = -net.elbo(x[idx], y[idx], len(x)) / len(x)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        draws = torch.stack([net(x) for _ in range(16)])
        scale = (draws.var(0) + (2 * net.noise).exp()).sqrt()
        residual = y - draws.mean(0)
    temp = TemperatureScaler().to(device).fit(residual, scale)
    print(loss.item(), residual.abs().mean().item(), temp)


if __name__ == "__main__":
    main()
