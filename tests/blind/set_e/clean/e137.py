"""Bayes by backprop with local losses collected from layers."""
import torch
from torch import nn


class BayesLinear(nn.Module):
    def __init__(self, i, o, prior=1.0):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(o, i) * 0.1)
        self.rho = nn.Parameter(torch.full((o, i), -4.0))
        self.bias = nn.Parameter(torch.zeros(o))
        self.prior = prior
        self.kl = None

    def forward(self, x):
        sigma = nn.functional.softplus(self.rho)
        w = self.mu + sigma * torch.randn_like(sigma) if self.training else self.mu
        self.kl = (torch.log(self.prior / sigma) + (sigma**2 + self.mu**2) / (2 * self.prior**2) - 0.5).sum()
        return nn.functional.linear(x, w, self.bias)


def total_kl(model):
    return sum(m.kl for m in model.modules() if isinstance(m, BayesLinear))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(BayesLinear(3, 8), nn.ReLU(), BayesLinear(8, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    trace = {"loss": [], "kl": []}
    for _ in range(4):
        x = torch.randn(16, 3, device=device)
        y = x[:, :1] * x[:, 1:2]
        loss = nn.functional.mse_loss(model(x), y)
        kl = total_kl(model)
        optimizer.zero_grad()
        (loss + 1e-3 * kl).backward()
        optimizer.step()
        trace["loss"].append(loss.detach().item())
        trace["kl"].append(kl.detach())
    print(trace["loss"][-1], torch.stack(trace["kl"]).mean().item())


if __name__ == "__main__":
    main()
